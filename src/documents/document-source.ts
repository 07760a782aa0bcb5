import { type FileHandle, open, rm } from 'node:fs/promises';
import { ApiError } from '../errors/api-error.js';
import { reasonOf } from '../errors/error-reason.js';
import type { Payload } from '../tasks/task-draft.js';
import { whenAborted } from '../waiting/when-aborted.js';
import { INLINE_BYTES } from './inline-bytes.js';
import type { PayloadFormat, PayloadReader } from './payload-reader.js';

/** Documents, or bytes that hold them: an array, an async iterable, a Node or a web stream. */
export type DocumentSource<T extends object> =
  | readonly T[]
  | Iterable<T>
  | AsyncIterable<T | Uint8Array | string>
  | ReadableStream<T | Uint8Array | string>;

/** How a source is read. @internal */
export interface SourceOptions {
  /** The format of sources of bytes; NDJSON when absent. */
  readonly format?: PayloadFormat | undefined;
  /** Aborted, nothing of the source is kept. */
  readonly signal?: AbortSignal | undefined;
  /** Told after each piece that was read. */
  readonly onProgress?:
    | ((progress: { readonly documents: number; readonly bytes: number }) => void)
    | undefined;
}

/**
 * Reads a source in constant memory. Objects become NDJSON; bytes are of `format`. Throws
 * `malformed_payload` for what is no source or holds what is no JSON. @internal
 */
export async function payloadOf<T extends object>(
  source: DocumentSource<T>,
  reader: PayloadReader,
  { format = { format: 'ndjson' }, signal, onProgress }: SourceOptions = {},
): Promise<Payload> {
  signal?.throwIfAborted();
  requireSource(source);
  const spool = new Spool(reader);
  let written: PayloadFormat = format;
  let documents = 0;
  try {
    for await (const item of stoppable(source, signal)) {
      const isBytes = typeof item === 'string' || item instanceof Uint8Array;
      if (!isBytes) written = { format: 'ndjson' };
      if (!isBytes) documents += 1;
      await spool.add(Buffer.from(isBytes ? item : `${jsonOf(item, documents)}\n`));
      if (spool.wasEmptied) onProgress?.({ documents, bytes: spool.bytes });
    }
    onProgress?.({ documents, bytes: spool.bytes });
    return await spool.payload(written);
  } catch (error) {
    await spool.discard();
    throw error;
  }
}

/** Text and bytes can be iterated, but not in documents. */
function requireSource(source: unknown): void {
  const isSource =
    typeof source === 'object' &&
    source !== null &&
    !(source instanceof Uint8Array) &&
    (Symbol.iterator in source || Symbol.asyncIterator in source || 'getReader' in source);
  if (isSource) return;
  throw new ApiError(
    'malformed_payload',
    'Documents come as a list, an iterable, an async iterable or a stream, of objects or of bytes that hold them. Text and bytes come in a list, too: `[text]`.',
  );
}

/** The JSON of the document at a place, counted from 1. */
function jsonOf(document: unknown, place: number): string {
  try {
    const json = JSON.stringify(document);
    if (json !== undefined) return json;
  } catch (cause) {
    const reason = reasonOf(cause);
    const message = `Document ${place} cannot be written as JSON: ${reason}`;
    throw new ApiError('malformed_payload', message, { cause });
  }
  throw new ApiError('malformed_payload', `Document ${place} is no object, but ${typeof document}`);
}

const EMPTY: Payload = { documents: 0, bytes: 0, content: { inline: '' } };

/** Bytes in memory as long as they are few, else in a file. */
class Spool {
  readonly #reader: PayloadReader;
  #chunks: Buffer[] = [];
  /** Bytes in memory. */
  #waiting = 0;
  #file: { readonly handle: FileHandle; readonly path: string } | undefined;
  bytes = 0;
  /** Whether the last piece made the ones in memory go to the file. */
  wasEmptied = false;

  constructor(reader: PayloadReader) {
    this.#reader = reader;
  }

  async add(chunk: Buffer): Promise<void> {
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
    this.bytes += chunk.length;
    this.wasEmptied = this.#waiting > INLINE_BYTES;
    if (!this.wasEmptied) return;
    this.#file ??= await created(this.#reader.newRawPath());
    await this.#flush(this.#file.handle);
  }

  async payload(format: PayloadFormat): Promise<Payload> {
    if (this.#file === undefined) {
      if (this.bytes === 0) return EMPTY;
      return this.#reader.fromBytes(Buffer.concat(this.#chunks), format);
    }
    const { handle, path } = this.#file;
    await this.#flush(handle);
    await handle.close();
    return this.#reader.fromFile(path, format);
  }

  async discard(): Promise<void> {
    if (this.#file === undefined) return;
    await this.#file.handle.close();
    await rm(this.#file.path, { force: true });
  }

  async #flush(handle: FileHandle): Promise<void> {
    await handle.appendFile(Buffer.concat(this.#chunks));
    this.#chunks = [];
    this.#waiting = 0;
  }
}

async function created(path: string): Promise<{ handle: FileHandle; path: string }> {
  return { handle: await open(path, 'wx'), path };
}

/** The items of a source, which is told to end when a signal is aborted, even while it is silent. */
async function* stoppable<Item>(
  source: Iterable<Item> | AsyncIterable<Item> | ReadableStream<Item>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item> {
  const items = itemsOf(source);
  let stop: (reason: unknown) => void = () => undefined;
  const stopListening = signal && whenAborted(signal, () => stop(signal.reason));
  let isOver = false;
  try {
    for (;;) {
      signal?.throwIfAborted();
      // A promise for each step: one for all of them would hold what waits for it until the end.
      const step = await new Promise<ItemStep<Item>>((resolve, reject) => {
        stop = reject;
        Promise.resolve(items.next()).then(resolve, reject);
      });
      isOver = step.done === true;
      if (step.done === true) return;
      yield step.value as Item;
    }
  } finally {
    stopListening?.();
    // A silent source may never answer, so its end is not waited for.
    if (!isOver) Promise.resolve(items.end()).catch(() => undefined);
  }
}

/** The next item of a source, or its end. */
interface ItemStep<Item> {
  readonly done?: boolean;
  readonly value?: Item | undefined;
}

/** A source as a series of items, which can be ended while one is waited for. */
interface Items<Item> {
  next(): ItemStep<Item> | Promise<ItemStep<Item>>;
  end(): unknown;
}

/**
 * Streams are ended by what they themselves offer: their iterators end only after the item that is
 * waited for.
 */
function itemsOf<Item>(
  source: Iterable<Item> | AsyncIterable<Item> | ReadableStream<Item>,
): Items<Item> {
  if ('getReader' in source) {
    const reader = source.getReader();
    return { next: () => reader.read(), end: () => reader.cancel() };
  }
  if (!(Symbol.asyncIterator in source)) {
    const items = source[Symbol.iterator]();
    return { next: () => items.next(), end: () => items.return?.() };
  }
  const items = source[Symbol.asyncIterator]();
  const { destroy } = source as { destroy?: () => unknown };
  const end = () => (destroy === undefined ? items.return?.() : destroy.call(source));
  return { next: () => items.next(), end };
}
