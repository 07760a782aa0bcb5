import { type FileHandle, open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { INLINE_BYTES } from '../documents/inline-bytes.js';
import type { BodyFormat } from '../documents/payload-reader.js';
import { ApiError } from '../errors/api-error.js';
import { systemError } from '../errors/system-error.js';
import type { Payload } from '../tasks/task-draft.js';
import { abandonBody, decodedBody, encodingOf } from './content-encoding.js';
import { incomplete, readBody, tooLarge } from './read-body.js';
import type { PayloadReader } from './services.js';

/** Where received bytes are. */
type Received = { readonly bytes: Buffer } | { readonly path: string };

/** Takes the documents or ids of a body of any size in constant memory, and has them checked. */
export async function receiveDocuments(
  raw: IncomingMessage,
  limit: number,
  format: BodyFormat,
  payloads: PayloadReader,
): Promise<Payload> {
  const received = isSmall(raw)
    ? { bytes: await readBody(raw, limit) }
    : await receive(raw, limit, payloads);
  if ('path' in received) return payloads.fromFile(received.path, format);
  if (received.bytes.length === 0) {
    const name = format.format === 'ids' ? 'json' : format.format;
    throw new ApiError('missing_payload', `A ${name} payload is missing.`);
  }
  return payloads.fromBytes(received.bytes, format);
}

/** Whether a body says that it stays in memory whatever comes. */
function isSmall(raw: IncomingMessage): boolean {
  return Number(raw.headers['content-length']) <= INLINE_BYTES && encodingOf(raw) === undefined;
}

async function receive(
  raw: IncomingMessage,
  limit: number,
  payloads: PayloadReader,
): Promise<Received> {
  if (encodingOf(raw) === undefined && Number(raw.headers['content-length']) > limit) {
    throw tooLarge(limit);
  }
  const spool = new Spool(() => payloads.newRawPath());
  const body = decodedBody(raw);
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      await spool.add(chunk as Buffer, limit);
    }
    return await spool.end();
  } catch (error) {
    abandonBody(raw, body);
    await spool.discard();
    if (error instanceof ApiError) throw error;
    throw systemError(error) ?? incomplete(error);
  }
}

/** Gathers bytes in memory, and moves them to a file once there are many. */
class Spool {
  private readonly newPath: () => string;
  private chunks: Buffer[] = [];
  private length = 0;
  private file: { readonly handle: FileHandle; readonly path: string } | undefined;

  constructor(newPath: () => string) {
    this.newPath = newPath;
  }

  async add(chunk: Buffer, limit: number): Promise<void> {
    this.length += chunk.length;
    if (this.length > limit) throw tooLarge(limit);
    if (this.file !== undefined) {
      await this.file.handle.appendFile(chunk);
      return;
    }
    this.chunks.push(chunk);
    if (this.length > INLINE_BYTES) await this.moveToFile();
  }

  async end(): Promise<Received> {
    if (this.file === undefined) return { bytes: Buffer.concat(this.chunks, this.length) };
    await this.file.handle.close();
    return { path: this.file.path };
  }

  async discard(): Promise<void> {
    if (this.file === undefined) return;
    await this.file.handle.close().catch(() => undefined);
    await rm(this.file.path, { force: true });
  }

  private async moveToFile(): Promise<void> {
    const path = this.newPath();
    this.file = { handle: await open(path, 'wx'), path };
    for (const chunk of this.chunks) await this.file.handle.appendFile(chunk);
    this.chunks = [];
  }
}
