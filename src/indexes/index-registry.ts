import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { ApiError } from '../errors/api-error.js';
import { instanceClosed } from '../errors/instance-closed.js';
import { indexNotFound } from '../errors/not-found.js';
import type { Engine, EngineIndex } from '../native/engine-index.js';
import type { AppliedRules } from '../native/search-rules.js';
import type { SearchStop } from '../native/search-stop.js';
import type { IndexRow, RegistryChange, Store } from '../native/store.js';
import { Changes } from '../records/changes.js';
import type { DataFolder } from './data-folder.js';
import { folderSize } from './folder-size.js';
import { IndexReader } from './index-reader.js';

/** What the list of indexes says about one. */
export interface IndexInfo {
  uid: string;
  createdAt: string;
  updatedAt: string;
  primaryKey: string | null;
}

/** Where the index of a uid is; nowhere when there is none. @internal */
export interface IndexPlace {
  readonly uid: string;
  readonly folder: string | undefined;
}

/** What reads from an index, and the opening that it came from. */
interface OpenReader {
  readonly opening: Promise<EngineIndex>;
  readonly reader: IndexReader;
}

/** The indexes by uid: a mirror of the stored registry, and the indexes that are open. */
export class IndexRegistry {
  /** The uid of the index that the running batch is about. @internal */
  indexing: string | undefined;
  /** Indexes that may be somewhere else now, those of one change together. @internal */
  readonly changes = new Changes<readonly IndexPlace[]>();
  readonly #store: Store;
  readonly #folder: DataFolder;
  readonly #engine: Engine;
  #rows = new Map<string, IndexRow>();
  readonly #open = new Map<string, Promise<EngineIndex>>();
  /** What reads from indexes that are open, by the row that it was made for. */
  readonly #readers = new WeakMap<IndexRow, OpenReader>();
  #isClosed = false;

  /** @internal */
  constructor(store: Store, folder: DataFolder, engine: Engine) {
    this.#store = store;
    this.#folder = folder;
    this.#engine = engine;
  }

  /** Reads the registry from the store. @internal */
  async load(): Promise<void> {
    this.#rows = new Map((await this.#store.indexes()).map((row) => [row.uid, row]));
  }

  /** Indexes in byte order of their uids, a page of those that may be seen. */
  async list(offset: number, limit: number): Promise<{ results: IndexInfo[]; total: number }> {
    this.#requireOpen();
    const uids = [...this.#rows.keys()].sort();
    const page = uids.slice(offset, offset + limit);
    const results = page.flatMap((uid) => this.#info(uid) ?? []);
    return { results, total: uids.length };
  }

  /** What is known of the index of a uid. */
  async get(uid: string): Promise<IndexInfo | undefined> {
    this.#requireOpen();
    return this.#info(uid);
  }

  /** What reads from an index; `undefined` when there is none of that uid. @internal */
  async reader(uid: string): Promise<IndexReader | undefined> {
    this.#requireOpen();
    const row = this.#rows.get(uid);
    if (row === undefined) return undefined;
    const opening = this.#openRow(row);
    const known = this.#readers.get(row);
    if (known?.opening === opening) return known.reader;
    const index = await opening;
    const path = this.#folder.indexPath(row.directory);
    const reader = new IndexReader(uid, index, path, {
      isIndexing: () => this.indexing === uid,
      whyClosed: () => (this.#isClosed ? instanceClosed() : indexNotFound(uid)),
    });
    this.#readers.set(row, { opening, reader });
    return reader;
  }

  /**
   * Answers a search over the indexes of these uids, as far as they exist; rules may pin.
   * @internal
   */
  async federatedSearch(
    uids: readonly string[],
    request: string,
    rules?: AppliedRules,
    stop?: SearchStop,
  ): Promise<Buffer> {
    const known = uids.flatMap((uid) => this.#rows.get(uid) ?? []);
    const indexes = await Promise.all(
      known.map(async (row) => ({ uid: row.uid, index: await this.#openRow(row) })),
    );
    return this.#engine.federatedSearch(indexes, request, rules, stop);
  }

  /** Sizes on disk of everything, in bytes. */
  async sizes(): Promise<{ databaseSize: number; usedDatabaseSize: number }> {
    const [store, indexes] = await Promise.all([
      this.#store.sizes(),
      folderSize(this.#folder.indexes),
    ]);
    return { databaseSize: store.total + indexes, usedDatabaseSize: store.used + indexes };
  }

  /** The stored row of an index. @internal */
  row(uid: string): IndexRow | undefined {
    return this.#rows.get(uid);
  }

  /** Where all indexes are. @internal */
  places(): IndexPlace[] {
    return [...this.#rows.keys()].map((uid) => this.#place(uid));
  }

  /** @internal */
  rows(): Iterable<IndexRow> {
    return this.#rows.values();
  }

  /** The open index of a uid. @internal */
  async open(uid: string): Promise<EngineIndex | undefined> {
    const row = this.#rows.get(uid);
    return row === undefined ? undefined : this.#openRow(row);
  }

  /** The folder of an index, once it is open; `undefined` when there is none of that uid. @internal */
  async openFolder(uid: string): Promise<string | undefined> {
    const row = this.#rows.get(uid);
    if (row === undefined) return undefined;
    await this.#openRow(row);
    return this.#folder.indexPath(row.directory);
  }

  /**
   * Opens the indexes that were written to last, one after another, so that the first searches need
   * not; resolves to the uids of those that are open. What cannot be opened says so when it is
   * searched. @internal
   */
  async openAhead(atMost: number): Promise<string[]> {
    const opened: string[] = [];
    const newestFirst = [...this.#rows.values()].sort((a, b) =>
      a.updatedAt < b.updatedAt ? 1 : -1,
    );
    for (const { uid } of newestFirst.slice(0, atMost)) {
      if (this.#isClosed) return opened;
      const index = await this.open(uid).catch(() => undefined);
      if (index !== undefined) opened.push(uid);
    }
    return opened;
  }

  /**
   * Lets an index answer with an error only, until its uid stands for another one: what a crash
   * interrupted in it could not be ended. @internal
   */
  refuse(uid: string, error: unknown): void {
    const row = this.#rows.get(uid);
    if (row === undefined) return;
    const refused = Promise.reject(error);
    refused.catch(() => undefined);
    this.#open.set(row.directory, refused);
  }

  /** Lets an index that was refused be opened again: it has changed. @internal */
  forgetRefusal(directory: string): void {
    this.#open.delete(directory);
  }

  /** Makes an empty index that no uid names yet; a `create` change names it. @internal */
  async create(): Promise<{ directory: string; index: EngineIndex }> {
    const directory = randomUUID();
    const index = await this.#engine.createIndex(this.#folder.indexPath(directory));
    this.#open.set(directory, Promise.resolve(index));
    return { directory, index };
  }

  /** Closes an index and removes its files. @internal */
  async discard(directory: string): Promise<void> {
    const open = this.#open.get(directory);
    this.#open.delete(directory);
    await open?.then((index) => index.close()).catch(() => undefined);
    await rm(this.#folder.indexPath(directory), { recursive: true, force: true });
  }

  /** Carries changes that the store has committed into the mirror. @internal */
  apply(changes: readonly RegistryChange[], now: string): void {
    for (const change of changes) this.#applyOne(change, now);
    const uids = changes.flatMap(movedUids);
    if (uids.length > 0) this.changes.tell(uids.map((uid) => this.#place(uid)));
  }

  /** @internal */
  async close(): Promise<void> {
    this.#isClosed = true;
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const index of open) {
      // One that could not be opened holds nothing.
      await index.then((one) => one.close()).catch(() => undefined);
    }
  }

  #applyOne(change: RegistryChange, now: string): void {
    switch (change.op) {
      case 'create': {
        const { uid, directory, primaryKey } = change;
        this.#rows.set(uid, { uid, directory, createdAt: now, updatedAt: now, primaryKey });
        return;
      }
      case 'touch':
        this.#put(change.uid, { updatedAt: now, primaryKey: change.primaryKey });
        return;
      case 'delete':
        this.#rows.delete(change.uid);
        return;
      case 'rename':
        this.#move(change.from, change.to);
        return;
      case 'swap': {
        const [a, b] = [this.#rows.get(change.a), this.#rows.get(change.b)];
        if (a !== undefined) this.#rows.set(change.b, { ...a, uid: change.b });
        if (b !== undefined) this.#rows.set(change.a, { ...b, uid: change.a });
      }
    }
  }

  #put(uid: string, changed: Partial<IndexRow>): void {
    const row = this.#rows.get(uid);
    if (row !== undefined) this.#rows.set(uid, { ...row, ...changed });
  }

  #move(from: string, to: string): void {
    const row = this.#rows.get(from);
    if (row === undefined) return;
    this.#rows.delete(from);
    this.#rows.set(to, { ...row, uid: to });
  }

  #place(uid: string): IndexPlace {
    const row = this.#rows.get(uid);
    return { uid, folder: row && this.#folder.indexPath(row.directory) };
  }

  #info(uid: string): IndexInfo | undefined {
    const row = this.#rows.get(uid);
    if (row === undefined) return undefined;
    const { createdAt, updatedAt, primaryKey } = row;
    return { uid, createdAt, updatedAt, primaryKey };
  }

  #requireOpen(): void {
    if (this.#isClosed) throw instanceClosed();
  }

  #openRow(row: IndexRow): Promise<EngineIndex> {
    this.#requireOpen();
    const known = this.#open.get(row.directory);
    if (known !== undefined) return known;
    const opened = this.#engine.openIndex(this.#folder.indexPath(row.directory)).catch((error) => {
      this.#open.delete(row.directory);
      throw aboutIndex(row.uid, error);
    });
    this.#open.set(row.directory, opened);
    return opened;
  }
}

/** The uids that stand for another index, or for none, after a change. */
function movedUids(change: RegistryChange): string[] {
  switch (change.op) {
    case 'create':
    case 'delete':
      return [change.uid];
    case 'rename':
      return [change.from, change.to];
    case 'swap':
      return [change.a, change.b];
    default:
      return [];
  }
}

/** The same failure, saying which index it is about. */
function aboutIndex(uid: string, error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  return new ApiError(error.code, `Index \`${uid}\`: ${error.message}`, { cause: error });
}
