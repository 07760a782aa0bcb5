import { signal } from '@preact/signals';
import { api, Refusal, type Task } from '../api/client.js';
import { messageOf } from '../shell/load.js';
import { runningBatch } from '../tasks/watch-batches.js';

const POLL_MS = 400;
const TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  csv: 'text/csv',
};

/** One file on its way into an index. */
export interface Upload {
  readonly id: number;
  readonly name: string;
  readonly state: 'sending' | 'waiting' | 'indexing' | 'done' | 'failed';
  readonly percentage: number;
  /** What came of it, or what went wrong. */
  readonly message: string;
}

/** The uploads of this visit, newest first. */
export const uploads = signal<readonly Upload[]>([]);

/** The media type of a file by its name; undefined for kinds that the server does not take. */
export function typeOf(name: string): string | undefined {
  return TYPES[name.toLowerCase().split('.').at(-1) ?? ''];
}

/** Sends files one after the other, and follows the task of each to its end. */
export async function uploadAll(indexUid: string, files: Iterable<File>): Promise<void> {
  for (const file of [...files]) await upload(indexUid, file);
}

async function upload(indexUid: string, file: File): Promise<void> {
  const id = uploads.value.length;
  const fresh: Upload = { id, name: file.name, state: 'sending', percentage: 0, message: '' };
  uploads.value = [fresh, ...uploads.value];
  const type = typeOf(file.name);
  if (type === undefined) {
    change(id, {
      state: 'failed',
      message: 'Only .json, .ndjson, .jsonl and .csv files can be added.',
    });
    return;
  }
  try {
    const { taskUid } = await api.addDocuments(indexUid, file, type);
    change(id, { state: 'waiting' });
    change(id, endOf(await ended(taskUid, () => follow(id, indexUid))));
  } catch (error) {
    change(id, { state: 'failed', message: messageOf(error) });
  }
}

/** Shows how far the running batch is. */
function follow(id: number, indexUid: string): void {
  const batch = runningBatch(indexUid);
  if (batch === undefined) return;
  change(id, { state: 'indexing', percentage: batch.progress?.percentage ?? 0 });
}

function endOf(task: Task): Partial<Upload> {
  if (task.status !== 'succeeded') return { state: 'failed', message: reasonOf(task) };
  const count = Number(task.details?.indexedDocuments ?? 0);
  const documents = count === 1 ? '1 document' : `${count.toLocaleString('en')} documents`;
  return { state: 'done', percentage: 100, message: `${documents} added` };
}

function change(id: number, part: Partial<Upload>): void {
  uploads.value = uploads.value.map((one) => (one.id === id ? { ...one, ...part } : one));
}

/** Resolves with a task once it has ended; a failed one is an answer, too. */
export async function ended(taskUid: number, onWait: () => void = () => undefined): Promise<Task> {
  for (;;) {
    const task = await api.task(taskUid);
    if (task.finishedAt !== null) return task;
    onWait();
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Waits for a task; throws what it failed with, or that somebody canceled it. */
export async function succeeded(taskUid: number): Promise<Task> {
  const task = await ended(taskUid);
  if (task.error !== null) throw new Refusal(400, task.error);
  if (task.status !== 'succeeded') throw new Error(reasonOf(task));
  return task;
}

/** Why a task did not succeed. */
const reasonOf = ({ error, status }: Task): string => error?.message ?? `The task was ${status}.`;
