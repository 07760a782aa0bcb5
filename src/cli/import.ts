import { readBytes, shownBytes, shownCount } from './amounts.js';
import { type Command, type CommandContext, TARGET_OPTIONS } from './command.js';
import { documentFile } from './document-file.js';
import { CommandError, EXIT, usageError } from './exit-code.js';
import type { Given } from './given.js';
import { type FileResult, importFile } from './import-files.js';
import { type InstanceResult, importInstance } from './import-instance.js';
import { ImportState } from './import-state.js';
import type { FileFormat } from './records.js';
import { ServerTarget } from './server-target.js';
import { printTable } from './table.js';
import { openTarget, type Target } from './target.js';
import type { Terminal } from './terminal.js';

const DEFAULT_BATCH = '16MB';
const DEFAULT_BATCH_DOCUMENTS = 1000;

/** `serval import`: documents of files, or all of another instance. */
export const importCommand: Command = {
  name: 'import',
  summary: 'Add documents from files, or copy a whole other instance',
  usage: ['import FILE... [options]', 'import --from URL [--from-key KEY] [options]'],
  about: `A FILE is JSON, NDJSON or CSV in UTF-8, also compressed (.gz, .zst); - is standard input. Its
index is that of --index, else that of its name: movies.ndjson.gz goes to movies. Files of any size
are sent in batches.

With --from, indexes, settings, documents with their vectors, and keys come from a running server of
the same interface. What is done is noted in a file: the same command goes on where it stopped.`,
  options: {
    ...TARGET_OPTIONS,
    index: { help: 'Index of the documents', value: 'UID', short: 'i' },
    format: {
      help: 'Format of the files, when their names do not say',
      value: 'FORMAT',
      choices: ['json', 'ndjson', 'csv'],
    },
    'csv-delimiter': {
      help: 'Character between the fields of CSV, \\t for a tab (default: , or a tab in .tsv)',
      value: 'CHAR',
    },
    'primary-key': { help: 'Attribute that identifies documents', value: 'NAME' },
    update: { help: 'Change the given fields of documents, instead of replacing them' },
    'batch-size': { help: `Bytes sent at once (default: ${DEFAULT_BATCH})`, value: 'SIZE' },
    'no-wait': { help: 'Do not wait until the documents are indexed' },
    from: { help: 'Address of the instance to copy', value: 'URL' },
    'from-key': { help: 'Key for that instance', value: 'KEY', variable: 'SVC_FROM_KEY' },
    indexes: {
      help: 'Indexes to copy, * at the end of a name for any (default: all)',
      value: 'UIDS',
      isList: true,
    },
    'batch-documents': {
      help: `Documents copied at once (default: ${DEFAULT_BATCH_DOCUMENTS})`,
      value: 'COUNT',
    },
    'embedder-key': {
      help: 'Key of a copied embedder, which its server does not show',
      value: 'NAME=KEY',
      isList: true,
    },
    'no-keys': { help: 'Do not copy API keys' },
    state: { help: 'File that notes how far the copy is', value: 'FILE' },
  },
  run: async (given, context) => {
    const source = given.text('from');
    if (source === undefined && given.words.length === 0) {
      throw usageError('name files to import, or an instance with --from');
    }
    if (source !== undefined && given.words.length > 0) {
      throw usageError('files and --from exclude each other');
    }
    // What is wrong with the command line is said before anything is opened.
    const run =
      source === undefined ? filesImport(given) : await instanceImport(source, given, context);
    const target = await openTarget(given, context.signal, { mayCreate: true });
    try {
      await run(target, context);
    } finally {
      await target.close();
    }
  },
};

/** Shells pass no tab for `\\t`. */
function delimiterOf(given: string | undefined): string | undefined {
  const delimiter = given === '\\t' ? '\t' : given;
  if (delimiter === undefined || /^[\0-\x7f]$/.test(delimiter)) return delimiter;
  throw usageError(`--csv-delimiter is one character of ASCII, not ${JSON.stringify(given)}`);
}

type Run = (target: Target, context: CommandContext) => Promise<void>;

function filesImport(given: Given): Run {
  const format = given.text('format') as FileFormat | undefined;
  const files = given.words.map((path) => documentFile(path, format));
  const batchBytes = readBytes(given.text('batch-size') ?? DEFAULT_BATCH);
  if (batchBytes === undefined) throw usageError('--batch-size is a size such as 16MB');
  const options = {
    index: given.text('index'),
    primaryKey: given.text('primary-key'),
    csvDelimiter: delimiterOf(given.text('csv-delimiter')),
    isUpdate: given.has('update'),
    batchBytes,
    waits: !given.has('no-wait'),
  };
  return async (target, context) => {
    const results: FileResult[] = [];
    for (const file of files) results.push(await importFile(file, target, options, context));
    if (given.has('json')) context.terminal.printJson({ files: results });
    else showFiles(results, context.terminal);
  };
}

function showFiles(results: readonly FileResult[], terminal: Terminal): void {
  const columns = [
    { heading: 'file' },
    { heading: 'index' },
    { heading: 'documents', isNumber: true },
    { heading: 'size', isNumber: true },
    { heading: 'seconds', isNumber: true },
  ];
  const rows = results.map(({ file, index, documents, bytes, seconds }) => [
    file,
    index,
    shownCount(documents),
    shownBytes(bytes),
    seconds.toFixed(1),
  ]);
  printTable(terminal, columns, rows);
}

async function instanceImport(url: string, given: Given, { signal }: CommandContext): Promise<Run> {
  const source = new ServerTarget(url, given.text('from-key'), signal);
  const options = {
    indexes: given.list('indexes'),
    batchDocuments: given.integer('batch-documents', DEFAULT_BATCH_DOCUMENTS, 1),
    copiesKeys: !given.has('no-keys'),
    embedderKeys: Object.fromEntries(given.each('embedder-key').map(nameAndKey)),
  };
  // A source that does not answer leaves no new data folder behind.
  await source.indexes();
  return async (target, context) => {
    const { host } = new URL(url);
    const path = given.text('state') ?? `serval-import-${host.replaceAll(/[^\w.-]/g, '-')}.json`;
    const state = ImportState.load(path, source.place, target.place);
    if (state.wasFound) context.terminal.remark(`going on with the copy noted in ${state.path}`);
    const result = await importInstance(source, target, state, options, context);
    showInstance(result, given.has('json'), context.terminal);
    if (result.indexes.some(({ documents, found }) => found < documents)) {
      throw new CommandError(EXIT.failed, 'some documents are missing');
    }
  };
}

function nameAndKey(text: string): [string, string] {
  const [, name, key] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || key === undefined) throw usageError('--embedder-key is NAME=KEY');
  return [name, key];
}

function showInstance(result: InstanceResult, isJson: boolean, terminal: Terminal): void {
  if (isJson) {
    terminal.printJson(result);
    return;
  }
  const columns = [{ heading: 'index' }, { heading: 'documents', isNumber: true }];
  printTable(
    terminal,
    columns,
    result.indexes.map(({ index, documents }) => [index, shownCount(documents)]),
  );
  terminal.print(`${result.keys.copied} keys copied`);
  for (const note of result.notes) terminal.remark(terminal.marked(note));
}
