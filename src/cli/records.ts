import { CommandError, EXIT } from './exit-code.js';
import { JsonValues } from './json-values.js';
import { CsvLines, PlainLines, type RecordCutter } from './line-cutters.js';

/** The formats of files of documents. */
export type FileFormat = 'json' | 'ndjson' | 'csv';

/** Some documents that are sent together. */
export interface RecordBatch {
  readonly bytes: Buffer;
  readonly documents: number;
}

const LINE_END = Buffer.from('\n');

/**
 * Batches of whole documents of a file, each of about so many bytes, in constant memory. Every
 * batch of CSV begins with the header; documents of JSON become lists again. Throws at a list that
 * does not end: the file was cut.
 */
export async function* recordBatches(
  source: AsyncIterable<Buffer>,
  format: FileFormat,
  batchBytes: number,
  csvDelimiter = ',',
): AsyncGenerator<RecordBatch> {
  const cutter = cutterOf(format, csvDelimiter);
  const batch = new Batch(format);
  for await (const piece of source) {
    for (const record of cutter.add(piece)) {
      batch.add(record);
      if (batch.bytes >= batchBytes) yield batch.take();
    }
  }
  const rest = cutter.end();
  if (rest.length > 0 && !isBlank(rest)) batch.add(rest);
  else if (cutter instanceof JsonValues && cutter.isUnfinished) {
    throw new CommandError(EXIT.failed, 'the list of documents does not end: the file was cut');
  }
  if (batch.documents > 0) yield batch.take();
}

function cutterOf(format: FileFormat, csvDelimiter: string): RecordCutter {
  if (format === 'json') return new JsonValues();
  return format === 'csv' ? new CsvLines(csvDelimiter) : new PlainLines();
}

class Batch {
  readonly #format: FileFormat;
  #header: Buffer | undefined;
  #records: Buffer[] = [];
  bytes = 0;

  constructor(format: FileFormat) {
    this.#format = format;
  }

  get documents(): number {
    return this.#records.length;
  }

  add(record: Buffer): void {
    if (this.#format === 'csv' && this.#header === undefined) {
      this.#header = record;
    } else if (!isBlank(record)) {
      this.#records.push(record);
      this.bytes += record.length + 1;
    }
  }

  take(): RecordBatch {
    const records = this.#records;
    this.#records = [];
    this.bytes = 0;
    if (this.#format === 'json') return { bytes: listOf(records), documents: records.length };
    const header = this.#header === undefined ? [] : [this.#header];
    return { bytes: joined([...header, ...records], LINE_END), documents: records.length };
  }
}

/** Documents as lines. */
export function linesOf(records: readonly Buffer[]): Buffer {
  return joined(records, LINE_END);
}

/** Documents as a list. */
function listOf(records: readonly Buffer[]): Buffer {
  return Buffer.concat([Buffer.from('['), joined(records, Buffer.from(',')), Buffer.from(']')]);
}

function joined(records: readonly Buffer[], between: Buffer): Buffer {
  return Buffer.concat(records.flatMap((record, at) => (at === 0 ? [record] : [between, record])));
}

function isBlank(record: Buffer): boolean {
  return record.length < 64 && record.toString().trim() === '';
}
