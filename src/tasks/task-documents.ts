import { open } from 'node:fs/promises';
import { pipeline, type Readable, Transform } from 'node:stream';
import type { DataFolder } from '../indexes/data-folder.js';
import type { TaskQueue } from './task-queue.js';

/**
 * The documents that a task of the queue brings, one right after another as clients expect them:
 * without line ends. `undefined` when it brings none, or has ended.
 */
export async function taskDocuments(
  queue: Pick<TaskQueue, 'payload'>,
  folder: DataFolder,
  uid: number,
): Promise<Buffer | Readable | undefined> {
  const payload = await queue.payload(uid);
  if (payload === undefined) return undefined;
  if ('inline' in payload) return withoutLineEnds(Buffer.from(payload.inline));
  // The file goes with the end of the task; once it is open it can be read to its end.
  const file = await open(folder.payloadPath(payload.file)).catch(() => undefined);
  if (file === undefined) return undefined;
  const joined = new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, withoutLineEnds(chunk)),
  });
  // Both are destroyed when one fails or its reader goes; the answer then breaks off.
  return pipeline(file.createReadStream(), joined, () => undefined);
}

/** Documents are written compact, so every line end stands between two of them. */
function withoutLineEnds(bytes: Buffer): Buffer {
  return bytes.filter((byte) => byte !== LINE_END) as Buffer;
}

const LINE_END = 10;
