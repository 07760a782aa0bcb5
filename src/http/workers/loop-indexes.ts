import { IndexReader } from '../../indexes/index-reader.js';
import { openedIndex } from '../../native/engine.js';
import type { EngineIndex } from '../../native/engine-index.js';
import { indexNotFound } from '../require-index.js';
import type { PrimaryCalls } from './primary-calls.js';

/** What reads from an index, and the opening that it came from. */
interface OpenReader {
  readonly opening: Promise<EngineIndex>;
  readonly reader: IndexReader;
}

/** The indexes of the process as one loop reaches them: those that the primary has opened. */
export class LoopIndexes {
  readonly #calls: PrimaryCalls;
  /** By folder. */
  readonly #opened = new Map<string, Promise<EngineIndex>>();
  /** By uid, with the opening that each came from. */
  readonly #readers = new Map<string, OpenReader>();

  constructor(calls: PrimaryCalls) {
    this.#calls = calls;
  }

  /** Lets go of the indexes that are in none of these folders. */
  keep(folders: ReadonlySet<string>): void {
    this.#readers.clear();
    for (const [folder, opening] of this.#opened) {
      if (folders.has(folder)) continue;
      this.#opened.delete(folder);
      opening.then((index) => index.close()).catch(() => undefined);
    }
  }

  /** The index in a folder, that has a uid. */
  index(uid: string, folder: string): Promise<EngineIndex> {
    const known = this.#opened.get(folder);
    if (known !== undefined) return known;
    const opening = this.#open(uid, folder);
    this.#opened.set(folder, opening);
    opening.catch(() => this.#opened.delete(folder));
    return opening;
  }

  /** What reads from the index in a folder. */
  async reader(uid: string, folder: string): Promise<IndexReader> {
    const opening = this.index(uid, folder);
    const known = this.#readers.get(uid);
    if (known?.opening === opening) return known.reader;
    const reader = new IndexReader(uid, await opening, folder, {
      isIndexing: () => false,
      whyClosed: () => indexNotFound(uid),
    });
    this.#readers.set(uid, { opening, reader });
    return reader;
  }

  /** The primary is asked first: it says whether the index can be read, and opens it. */
  async #open(uid: string, folder: string): Promise<EngineIndex> {
    await this.#calls.call('open', [uid]);
    const index = openedIndex(folder);
    // It has gone meanwhile.
    if (index === undefined) throw indexNotFound(uid);
    return index;
  }
}
