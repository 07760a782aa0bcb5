import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { makeFolder } from '../indexes/make-folder.js';
import { shownCount } from './amounts.js';
import { type Command, type CommandContext, TARGET_OPTIONS } from './command.js';
import { csvOf } from './csv.js';
import { usageError } from './exit-code.js';
import { documentsOfPage } from './json-values.js';
import { writeWhole } from './output-file.js';
import { ProgressBar } from './progress-bar.js';
import { type FileFormat, linesOf } from './records.js';
import { printTable } from './table.js';
import { openTarget, type Target } from './target.js';

/** Documents that are read at once. */
const DOCUMENTS_AT_ONCE = 1000;

/** `serval export`: documents of indexes as files. */
export const exportCommand: Command = {
  name: 'export',
  summary: 'Write documents of indexes to files or standard output',
  usage: ['export UID [options]', 'export --all --output DIR [options]'],
  about: `Without --output the documents of one index go to standard output. With --all every index
becomes DIR/UID.ndjson, and its settings DIR/UID.settings.json. An output that ends in .gz is
compressed. Documents are in the order in which they were added.`,
  options: {
    ...TARGET_OPTIONS,
    output: { help: 'File, or with --all folder, to write to', value: 'PATH', short: 'o' },
    all: { help: 'Export every index, with settings' },
    format: {
      help: 'Format of the output (default: by its name, else ndjson)',
      value: 'FORMAT',
      choices: ['json', 'ndjson', 'csv'],
    },
    filter: { help: 'Export the documents that pass it', value: 'FILTER' },
    fields: { help: 'Attributes to export (default: all)', value: 'NAMES', isList: true },
    vectors: { help: 'Export vectors with the documents' },
  },
  run: async (given, context) => {
    const all = given.has('all');
    const output = given.text('output');
    if (all && output === undefined) throw usageError('--all needs --output DIR');
    const format = (given.text('format') ?? formatOf(output)) as FileFormat;
    const uid = all ? undefined : given.word(0, 'the uid of the index');
    given.atMost(all ? 0 : 1);
    const fields = given.list('fields');
    const asked = {
      filter: given.text('filter'),
      fields: fields.length === 0 ? undefined : fields,
      retrieveVectors: given.has('vectors') ? true : undefined,
    };
    const target = await openTarget(given, context.signal);
    try {
      const job = { target, format, asked, context };
      const results =
        uid === undefined
          ? await exportAll(String(output), job)
          : [await exportOne(uid, output, job)];
      if (given.has('json')) {
        if (output !== undefined) context.terminal.printJson({ indexes: results });
      } else if (output !== undefined) {
        showResults(results, context);
      }
    } finally {
      await target.close();
    }
  },
};

interface Job {
  readonly target: Target;
  readonly format: FileFormat;
  readonly asked: {
    readonly filter: string | undefined;
    readonly fields: readonly string[] | undefined;
    readonly retrieveVectors: boolean | undefined;
  };
  readonly context: CommandContext;
}

interface ExportResult {
  readonly index: string;
  readonly documents: number;
  readonly file: string;
}

function formatOf(output: string | undefined): FileFormat {
  const [, ending] = /\.(json|csv)(?:\.gz)?$/i.exec(output ?? '') ?? [];
  return (ending?.toLowerCase() as FileFormat | undefined) ?? 'ndjson';
}

async function exportAll(folder: string, job: Job): Promise<ExportResult[]> {
  await makeFolder(folder);
  const results: ExportResult[] = [];
  for (const { uid } of await job.target.indexes()) {
    const settings = await job.target.settings(uid);
    const text = `${JSON.stringify(settings, null, 2)}\n`;
    await writeFile(join(folder, `${uid}.settings.json`), text);
    results.push(await exportOne(uid, join(folder, `${uid}.${job.format}`), job));
  }
  return results;
}

async function exportOne(uid: string, output: string | undefined, job: Job): Promise<ExportResult> {
  let documents = 0;
  const bar = new ProgressBar(job.context.terminal, `exporting ${uid}`, shownCount);
  async function* pieces(): AsyncGenerator<Buffer> {
    for await (const page of pagesOf(uid, job)) {
      documents += page.records.length;
      bar.update(documents, page.total);
      yield page.bytes;
    }
  }
  const { signal } = job.context;
  try {
    if (output === undefined) {
      await pipeline(Readable.from(pieces()), process.stdout as Writable, { signal, end: false });
    } else {
      await writeWhole(output, pieces(), signal);
    }
  } finally {
    bar.end();
  }
  return { index: uid, documents, file: output ?? '-' };
}

interface Page {
  readonly records: readonly Buffer[];
  readonly total: number;
  readonly bytes: Buffer;
}

/** The documents of an index in pieces that make up a file of the format. */
async function* pagesOf(uid: string, { target, format, asked }: Job): AsyncGenerator<Page> {
  let columns: readonly string[] | undefined;
  for (let offset = 0; ; ) {
    const page = await target.documents(uid, { ...asked, offset, limit: DOCUMENTS_AT_ONCE });
    const { documents: records, total } = documentsOfPage(page);
    const isFirst = offset === 0;
    offset += records.length;
    const isLast = records.length === 0 || offset >= total;
    if (format === 'csv') {
      const rows = records.map((record) => JSON.parse(record.toString()));
      columns ??= asked.fields ?? (await columnsOf(uid, target, rows));
      yield { records, total, bytes: Buffer.from(csvOf(columns, rows, isFirst)) };
    } else {
      yield { records, total, bytes: jsonPiece(records, format, isFirst, isLast) };
    }
    if (isLast) return;
  }
}

function jsonPiece(
  records: readonly Buffer[],
  format: 'json' | 'ndjson',
  isFirst: boolean,
  isLast: boolean,
): Buffer {
  const lines = linesOf(records);
  if (format === 'ndjson') {
    return records.length === 0 ? lines : Buffer.concat([lines, Buffer.from('\n')]);
  }
  const opening = isFirst ? '[\n' : ',\n';
  const inside = records.flatMap((record, at) =>
    at === 0 ? [record] : [Buffer.from(',\n'), record],
  );
  const list = records.length === 0 && !isFirst ? [] : [Buffer.from(opening), ...inside];
  return Buffer.concat([...list, Buffer.from(isLast ? '\n]\n' : '')]);
}

/** The attributes of all documents: those of the first ones, then those that come later. */
async function columnsOf(
  uid: string,
  target: Target,
  rows: readonly Record<string, unknown>[],
): Promise<readonly string[]> {
  const known = new Set(rows.flatMap((row) => Object.keys(row)));
  for (const name of await target.attributes(uid)) known.add(name);
  return [...known];
}

function showResults(results: readonly ExportResult[], { terminal }: CommandContext): void {
  const columns = [
    { heading: 'index' },
    { heading: 'documents', isNumber: true },
    { heading: 'file' },
  ];
  const rows = results.map(({ index, documents, file }) => [index, shownCount(documents), file]);
  printTable(terminal, columns, rows);
}
