import {
  NativeArchive,
  extractArchive as nativeExtract,
  lockFolder as nativeLock,
  removeAbandonedArchives as nativeRemoveAbandoned,
} from '../../native/binding.cjs';
import { unwrap } from './unwrap.js';

/**
 * An archive that is being written on native threads. Calls wait for each other; unless `finish`
 * succeeds, nothing of it stays.
 */
export class Archive {
  /** For the other parts of this folder: they add what they hold. */
  readonly native: NativeArchive;

  private constructor(native: NativeArchive) {
    this.native = native;
  }

  /**
   * Starts the archive that will have the path `target`; `level` of its compression from 0, none,
   * to 9, that of dumps when it is left out.
   */
  static async create(target: string, level?: number): Promise<Archive> {
    return new Archive(unwrap(await NativeArchive.create(target, level)));
  }

  /** Adds an entry from memory. */
  async addText(path: string, text: string): Promise<void> {
    unwrap(await this.native.addBytes(path, Buffer.from(text)));
  }

  /** Adds a file of the disk. */
  async addFile(path: string, file: string): Promise<void> {
    unwrap(await this.native.addFile(path, file));
  }

  /** Puts the archive under its name, replacing what is there; its size in bytes. */
  async finish(options: { readOnly: boolean }): Promise<number> {
    return unwrap(await this.native.finish(options.readOnly));
  }

  /** Lets the call under way, and all later ones, fail soon. */
  cancel(): void {
    this.native.cancel();
  }

  /** Removes what was written. */
  async discard(): Promise<void> {
    unwrap(await this.native.discard());
  }
}

/** What an archive may become at the most, and whether its files are synced to disk. */
export interface ExtractOptions {
  readonly maxBytes: number;
  readonly maxEntries: number;
  readonly durable: boolean;
}

/** Extracts an archive, of which nothing is believed, into an empty folder. */
export async function extractArchive(
  archive: string,
  folder: string,
  { maxBytes, maxEntries, durable }: ExtractOptions,
): Promise<void> {
  unwrap(await nativeExtract(archive, folder, maxBytes, maxEntries, durable));
}

/** Removes what archives that died unfinished left in a folder, which may be missing. */
export async function removeAbandonedArchives(folder: string): Promise<void> {
  unwrap(await nativeRemoveAbandoned(folder));
}

/** Keeps other processes out of a data folder that exists but is not open; call to let them in. */
export function lockFolder(folder: string): () => void {
  const lock = unwrap(nativeLock(folder));
  return () => lock.release();
}
