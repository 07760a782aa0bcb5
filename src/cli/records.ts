import { JsonValues } from './json-values.js';

/** The formats of files of documents. */
export type FileFormat = 'json' | 'ndjson' | 'csv';

/** Some documents that are sent together. */
export interface RecordBatch {
  readonly bytes: Buffer;
  readonly documents: number;
}

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const LINE_END = Buffer.from('\n');

/** Cuts bytes into records as they come in. */
interface RecordCutter {
  add(piece: Buffer): Buffer[];
  /** What is left at the end, if it is a record. */
  end(): Buffer;
}

/** Cuts at line ends; in CSV only at those outside of quotes. */
class Lines implements RecordCutter {
  readonly #hasQuotes: boolean;
  #rest: Buffer = Buffer.alloc(0);
  #at = 0;
  #isQuoted = false;

  constructor(hasQuotes: boolean) {
    this.#hasQuotes = hasQuotes;
  }

  add(piece: Buffer): Buffer[] {
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const lines: Buffer[] = [];
    let start = 0;
    for (; this.#at < this.#rest.length; this.#at += 1) {
      const byte = this.#rest[this.#at];
      if (byte === QUOTE && this.#hasQuotes) this.#isQuoted = !this.#isQuoted;
      if (byte !== NEWLINE || this.#isQuoted) continue;
      if (this.#at > start) lines.push(this.#rest.subarray(start, this.#at));
      start = this.#at + 1;
    }
    this.#rest = this.#rest.subarray(start);
    this.#at -= start;
    return lines;
  }

  end(): Buffer {
    return this.#rest;
  }
}

/**
 * Batches of whole documents of a file, each of about so many bytes, in constant memory. Every
 * batch of CSV begins with the header; documents of JSON become lists again.
 */
export async function* recordBatches(
  source: AsyncIterable<Buffer>,
  format: FileFormat,
  batchBytes: number,
): AsyncGenerator<RecordBatch> {
  const cutter = format === 'json' ? new JsonValues() : new Lines(format === 'csv');
  const batch = new Batch(format);
  for await (const piece of source) {
    for (const record of cutter.add(piece)) {
      batch.add(record);
      if (batch.bytes >= batchBytes) yield batch.take();
    }
  }
  const rest = cutter.end();
  if (rest.length > 0 && !isBlank(rest)) batch.add(rest);
  if (batch.documents > 0) yield batch.take();
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
