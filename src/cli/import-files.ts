import { ApiError } from '../errors/api-error.js';
import { shownBytes, shownCount } from './amounts.js';
import type { CommandContext } from './command.js';
import { bytesOf, type DocumentFile, indexOfFile } from './document-file.js';
import { textOf } from './document-text.js';
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
  const { primaryKey, isUpdate, batchBytes } = options;
  const csvDelimiter = options.csvDelimiter ?? file.csvDelimiter;
  const index = options.index ?? indexOfFile(file.path);
  const start = performance.now();
  const bar = new ProgressBar(terminal, `sending ${file.path}`, shownBytes);
  const tasks: number[] = [];
  let documents = 0;
  let bytes = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const piece of bytesOf(file, signal)) {
      bytes += piece.length;
      bar.update(bytes, file.size, `${shownCount(documents)} documents`);
      yield piece;
    }
  }
  const shared = {
    format: file.format,
    primaryKey,
    isUpdate,
    ...(csvDelimiter === undefined ? {} : { csvDelimiter }),
  };
  try {
    const text = textOf(file.path, counted());
    for await (const batch of recordBatches(text, file.format, batchBytes, csvDelimiter)) {
      signal.throwIfAborted();
      tasks.push(await target.addDocuments(index, { ...shared, bytes: batch.bytes }));
      documents += batch.documents;
    }
  } catch (error) {
    throw inFile(file, documents, error);
  } finally {
    bar.end();
  }
  const seconds = (): number => Math.round(performance.now() - start) / 1000;
  if (options.waits) await allSucceeded(tasks, target, terminal);
  return { file: file.path, index, documents, bytes, tasks, seconds: seconds() };
}

/** Says of which file it is, and of which part of it, that documents were refused. */
function inFile({ path }: DocumentFile, sent: number, error: unknown): unknown {
  const exitCode = error instanceof CommandError ? error.exitCode : EXIT.failed;
  const isRefusal = error instanceof CommandError || error instanceof ApiError;
  if (!isRefusal || exitCode !== EXIT.failed || error.message.startsWith(path)) return error;
  const part = sent === 0 ? '' : ` behind the first ${shownCount(sent)} documents, which were sent`;
  return new CommandError(exitCode, `${path}${part}: ${error.message}`);
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
