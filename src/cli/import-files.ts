import { shownBytes, shownCount } from './amounts.js';
import type { CommandContext } from './command.js';
import { type DocumentFile, indexOfFile, readDocuments } from './document-file.js';
import { CommandError, EXIT } from './exit-code.js';
import { ProgressBar } from './progress-bar.js';
import { recordBatches } from './records.js';
import type { Target, TargetTask } from './target.js';

/** How files are imported. */
export interface FileImport {
  readonly index: string | undefined;
  readonly primaryKey: string | undefined;
  readonly csvDelimiter: string | undefined;
  readonly isUpdate: boolean;
  readonly batchBytes: number;
  /** Whether the end of the tasks is waited for. */
  readonly waits: boolean;
}

/** What came of the import of one file. */
export interface FileResult {
  readonly file: string;
  readonly index: string;
  readonly documents: number;
  readonly bytes: number;
  readonly tasks: readonly number[];
  readonly seconds: number;
}

/** Sends the documents of a file in batches; the tasks go on while the next ones are read. */
export async function importFile(
  file: DocumentFile,
  target: Target,
  options: FileImport,
  { terminal, signal }: CommandContext,
): Promise<FileResult> {
  const { primaryKey, csvDelimiter, isUpdate, batchBytes } = options;
  const index = options.index ?? indexOfFile(file.path);
  const start = performance.now();
  const bar = new ProgressBar(terminal, `sending ${file.path}`, shownBytes);
  const tasks: number[] = [];
  let documents = 0;
  let bytes = 0;
  const source = readDocuments(file, process.stdin, (read) => {
    bytes = read;
    bar.update(read, file.size, `${shownCount(documents)} documents`);
  });
  const shared = {
    format: file.format,
    primaryKey,
    isUpdate,
    ...(csvDelimiter === undefined ? {} : { csvDelimiter }),
  };
  try {
    for await (const batch of recordBatches(source, file.format, batchBytes)) {
      signal.throwIfAborted();
      tasks.push(await target.addDocuments(index, { ...shared, bytes: batch.bytes }));
      documents += batch.documents;
    }
  } finally {
    bar.end();
  }
  const seconds = (): number => Math.round(performance.now() - start) / 1000;
  if (options.waits) await allSucceeded(tasks, target, terminal);
  return { file: file.path, index, documents, bytes, tasks, seconds: seconds() };
}

/** Waits for tasks in their order; throws what the first one that failed says. */
export async function allSucceeded(
  tasks: readonly number[],
  target: Target,
  terminal: CommandContext['terminal'],
): Promise<void> {
  const bar = new ProgressBar(terminal, 'indexing', (count) => `${shownCount(count)} tasks`);
  const failed: TargetTask[] = [];
  try {
    for (const [done, uid] of tasks.entries()) {
      bar.update(done, tasks.length);
      const task = await target.ended(uid);
      if (task.status !== 'succeeded') failed.push(task);
    }
  } finally {
    bar.end();
  }
  const [first] = failed;
  if (first === undefined) return;
  const reason = first.error?.message ?? 'it was canceled';
  const text = `${failed.length} of ${tasks.length} tasks did not succeed; task ${first.uid}: ${reason}`;
  throw new CommandError(EXIT.failed, text);
}
