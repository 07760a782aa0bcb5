import { rm } from 'node:fs/promises';
import type { DataFolder } from '../indexes/data-folder.js';
import { preparePayload, prepareSmallPayload } from '../native/payload.js';
import type { Payload } from '../tasks/task-draft.js';
import { INLINE_BYTES } from './inline-bytes.js';

/** The formats in which documents are taken. */
export type PayloadFormat =
  | { readonly format: 'json' | 'ndjson' }
  | { readonly format: 'csv'; readonly delimiter: string };

/** What bodies hold: documents, or a list of their ids in JSON. */
export type BodyFormat = PayloadFormat | { readonly format: 'ids' };

/** A body of up to this many bytes is read in less time than it takes to hand it to another thread. */
const SMALL_BYTES = 4 * 1024;

/**
 * Checks received documents and rewrites them as NDJSON, off the main thread. Ids become one JSON
 * string a line. @internal
 */
export class PayloadReader {
  readonly #folder: DataFolder;

  constructor(folder: DataFolder) {
    this.#folder = folder;
  }

  /** A path for a body that is too large for memory; the caller writes it and gives it back. */
  newRawPath(): string {
    return this.#folder.newPayloadPath('raw');
  }

  /** Reads documents, or ids, from memory. */
  async fromBytes(bytes: Buffer, format: BodyFormat): Promise<Payload> {
    if (bytes.length > INLINE_BYTES) return this.#toFile(format, {}, bytes);
    const { documents, inline = '' } =
      bytes.length > SMALL_BYTES
        ? await preparePayload(format, bytes)
        : prepareSmallPayload(format, bytes);
    return { documents, content: { inline } };
  }

  /** Reads, then removes, a file made under `newRawPath`. */
  async fromFile(rawPath: string, format: BodyFormat): Promise<Payload> {
    try {
      return await this.#toFile(format, { rawPath }, null);
    } finally {
      await rm(rawPath, { force: true });
    }
  }

  async #toFile(
    format: BodyFormat,
    source: { rawPath?: string },
    bytes: Buffer | null,
  ): Promise<Payload> {
    const outPath = this.#folder.newPayloadPath('ndjson');
    const prepared = await preparePayload({ ...format, ...source, outPath }, bytes);
    const { documents, bytes: size, crc32 } = prepared;
    return { documents, bytes: size, content: { file: outPath, crc32 } };
  }
}
