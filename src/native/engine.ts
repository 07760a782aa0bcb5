import * as binding from '../../native/binding.cjs';
import { indexNotFound } from '../errors/not-found.js';
import type { Archive } from './archive.js';
import { answerRequest, type EmbedDocuments } from './embed-bridge.js';
import {
  BatchAborted,
  type DocumentLines,
  type Engine,
  type EngineBatch,
  type EngineIndex,
  type EngineIndexCounts,
  type EngineIndexInfo,
  type EngineStep,
  type EngineTaskResult,
  type IndexCheck,
  type NamedIndex,
} from './engine-index.js';
import type { JsonText } from './json-text.js';
import type { Outcome } from './outcome.js';
import type { AppliedRules } from './search-rules.js';
import type { SearchStop } from './search-stop.js';
import { nativeError, unwrap } from './unwrap.js';

/** Bounds of the native engine; memory in bytes. */
export interface EngineOptions {
  maxIndexingMemory?: number;
  /** Threads that index a batch. */
  maxIndexingThreads?: number;
  /** What the searches of all indexes remember things in; by their documents unless given. */
  maxSearchMemory?: number;
  /** What that may be at most, for all of them, where it goes by documents. */
  searchMemoryCeiling?: number;
  /** Makes the vectors that documents do not bring; without it there are none but those. */
  embedDocuments?: EmbedDocuments;
}

/** An index as the addon gives it. */
interface NativeIndex {
  search(
    uid: string,
    request: string,
    rules?: AppliedRules,
    stop?: binding.NativeStop,
  ): Promise<Outcome<Buffer>>;
  recall(request: string): Buffer | null;
  searchText(
    uid: string,
    request: string,
    rules?: AppliedRules,
    stop?: binding.NativeStop,
  ): Promise<Outcome<string>>;
  recallText(request: string): string | null;
  facetSearch(request: string, stop?: binding.NativeStop): Promise<Outcome<Buffer>>;
  similar(request: string, stop?: binding.NativeStop): Promise<Outcome<Buffer>>;
  documents(request: string): Promise<Outcome<Buffer>>;
  fields(request: string): Promise<Outcome<Buffer>>;
  compact(): Promise<Outcome<null>>;
  document(id: string, options: string | null): Promise<Outcome<Buffer | null>>;
  applyBatch(batch: string): Promise<Outcome<string>>;
  abortBatch(batchUid: number): void;
  expectMore(batchUid: number): void;
  batchProgress(): string | null;
  batchTrace(): string;
  info(): Promise<Outcome<string>>;
  counts(): Promise<Outcome<string>>;
  settings(): Promise<Outcome<JsonText>>;
  settingsWithoutWords(): Promise<Outcome<string>>;
  foreignUids(): string[];
  setEmbedding(embed: (number: number, request: string) => void): void;
  close(): Promise<Outcome<null>>;
}

/** The engine as the addon gives it. */
interface NativeEngine {
  createIndex(folder: string): Promise<Outcome<NativeIndex>>;
  openIndex(folder: string): Promise<Outcome<NativeIndex>>;
  upgradeIndex(folder: string, stop: binding.NativeStop): Promise<Outcome<boolean>>;
  close?(): unknown;
}

/** Bytes of all files under a folder by the ends of their names, such as `doc`. */
export async function fileSizes(folder: string): Promise<Record<string, number>> {
  return JSON.parse(unwrap(await binding.fileSizes(folder)));
}

/** How many searches of this process were cut off by their time limit. */
export function degradedSearches(): number {
  return binding.degradedSearches();
}

/** Opens the native engine. */
export function openNativeEngine(options: EngineOptions = {}): Engine {
  const { NativeEngine } = binding as {
    NativeEngine?: new (options: EngineOptions) => NativeEngine;
  };
  if (NativeEngine === undefined) throw nativeError('internal', 'the addon has no search engine');
  const { embedDocuments, ...limits } = options;
  const engine = new NativeEngine(limits);
  const opened = (native: NativeIndex) => new AddonIndex(native, embedDocuments);
  return {
    createIndex: async (folder) => opened(unwrap(await engine.createIndex(folder))),
    openIndex: async (folder) => opened(unwrap(await engine.openIndex(folder))),
    lastCommit: async (folder) => JSON.parse(unwrap(await binding.lastCommit(folder))),
    upgradeIndex: (folder, signal) => upgradeIndex(engine, folder, signal),
    federatedSearch: searchTogether,
    close: async () => {
      await engine.close?.();
    },
  };
}

/** Ready JSON of the one list of hits that queries over several indexes give. */
export async function searchTogether(
  indexes: readonly NamedIndex[],
  request: string,
  rules?: AppliedRules,
  stop?: SearchStop,
): Promise<Buffer> {
  const deleted = indexes.find(({ index }) => index.isClosed);
  if (deleted !== undefined) throw indexNotFound(deleted.uid);
  const natives = indexes.map(({ index }) => (index as AddonIndex).native);
  const uids = indexes.map(({ uid }) => uid);
  const opened = natives as binding.NativeIndex[];
  return unwrap(await binding.federatedSearch(opened, uids, request, rules, stop?.native));
}

/** The index that another thread of this process has opened in a folder, for reading. */
export function openedIndex(folder: string): EngineIndex | undefined {
  const native = binding.openedIndex(folder) as NativeIndex | null;
  return native === null ? undefined : new AddonIndex(native, undefined);
}

async function upgradeIndex(
  engine: NativeEngine,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const stop = new binding.NativeStop();
  const abort = () => stop.stop();
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort);
  try {
    const outcome = await engine.upgradeIndex(folder, stop);
    if ('error' in outcome && outcome.error.code === 'aborted') throw new BatchAborted();
    unwrap(outcome);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** An index of the addon behind the interface the tasks work with. */
class AddonIndex implements EngineIndex {
  readonly native: NativeIndex;

  /** Ends the requests for vectors of the running batch. */
  #embedding = new AbortController();
  #isClosed = false;

  constructor(native: NativeIndex, embed: EmbedDocuments | undefined) {
    this.native = native;
    if (embed === undefined) return;
    native.setEmbedding((number, request) => {
      void answerRequest(embed, number, request, this.#embedding.signal);
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  async applyBatch(batch: EngineBatch): Promise<EngineTaskResult[]> {
    this.#embedding = new AbortController();
    const outcome = await this.native.applyBatch(JSON.stringify(batch));
    if ('error' in outcome && outcome.error.code === 'aborted') throw new BatchAborted();
    const answer = JSON.parse(unwrap(outcome));
    return Array.isArray(answer) ? answer : answer.results;
  }

  abortBatch(batchUid: number): void {
    // The engine first: an embedding that fails must find its batch stopped.
    this.native.abortBatch(batchUid);
    this.#embedding.abort();
  }

  expectMore(batchUid: number): void {
    this.native.expectMore(batchUid);
  }

  batchProgress(): EngineStep[] {
    return JSON.parse(this.native.batchProgress() ?? '[]');
  }

  batchTrace(): [name: string, took: number][] {
    return JSON.parse(this.native.batchTrace());
  }

  async info(): Promise<EngineIndexInfo> {
    return JSON.parse(unwrap(await this.native.info()));
  }

  async counts(): Promise<EngineIndexCounts> {
    return JSON.parse(unwrap(await this.native.counts()));
  }

  async search(
    uid: string,
    request: string,
    rules?: AppliedRules,
    stop?: SearchStop,
  ): Promise<Buffer> {
    return unwrap(await this.native.search(uid, request, rules, stop?.native));
  }

  recall(request: string): Buffer | undefined {
    return this.native.recall(request) ?? undefined;
  }

  async searchText(
    uid: string,
    request: string,
    rules?: AppliedRules,
    stop?: SearchStop,
  ): Promise<string> {
    return unwrap(await this.native.searchText(uid, request, rules, stop?.native));
  }

  recallText(request: string): string | undefined {
    return this.native.recallText(request) ?? undefined;
  }

  async facetSearch(request: string, stop?: SearchStop): Promise<Buffer> {
    return unwrap(await this.native.facetSearch(request, stop?.native));
  }

  async similar(request: string, stop?: SearchStop): Promise<Buffer> {
    return unwrap(await this.native.similar(request, stop?.native));
  }

  async documents(request: string): Promise<Buffer> {
    return unwrap(await this.native.documents(request));
  }

  async fields(request: string): Promise<Buffer> {
    return unwrap(await this.native.fields(request));
  }

  async compact(): Promise<void> {
    unwrap(await this.native.compact());
  }

  async document(id: string, options: string | null): Promise<Buffer | undefined> {
    return unwrap(await this.native.document(id, options)) ?? undefined;
  }

  async settings(): Promise<JsonText> {
    return unwrap(await this.native.settings());
  }

  async settingsWithoutWords(): Promise<string> {
    return unwrap(await this.native.settingsWithoutWords());
  }

  foreignUids(): readonly string[] {
    return this.native.foreignUids();
  }

  async addDocumentsTo(archive: Archive, path: string): Promise<void> {
    unwrap(await archive.native.addDocuments(path, this.native));
  }

  async addFilesTo(archive: Archive, folder: string): Promise<void> {
    unwrap(await archive.native.addIndexFiles(folder, this.native));
  }

  async lines(filter: unknown): Promise<DocumentLines> {
    const json = JSON.stringify(filter ?? null);
    const lines = unwrap(await binding.documentLines(this.native, json));
    const { nDocuments } = lines;
    return { nDocuments, next: async (maxBytes) => unwrap(await lines.next(maxBytes)) };
  }

  async check(): Promise<IndexCheck> {
    return unwrap(await binding.checkIndex('', this.native as binding.NativeIndex));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    unwrap(await this.native.close());
  }
}
