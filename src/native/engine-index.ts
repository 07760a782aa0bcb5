import type { Archive } from './archive.js';
import type { JsonText } from './json-text.js';
import type { AppliedRules } from './search-rules.js';
import type { SearchStop } from './search-stop.js';

/** What the tasks need of a search index on disk; the native engine stands behind it. */
export interface EngineIndex {
  /** Whether `close` was called: nothing else may be any more. */
  readonly isClosed: boolean;
  /** Applies operations in order, in one commit, and tells how each task ended. */
  applyBatch(batch: EngineBatch): Promise<EngineTaskResult[]>;
  /**
   * Asks a batch to stop. `applyBatch` then throws `BatchAborted`, or tells of the tasks alone that
   * were on disk before.
   */
  abortBatch(batchUid: number): void;
  /** Says that another batch follows one that runs: merges of large segments are left to it. */
  expectMore(batchUid: number): void;
  /** The steps that the running batch is at, outermost first; none without one. */
  batchProgress(): EngineStep[];
  /** Milliseconds that each step of the running or last batch took. */
  batchTrace(): [name: string, took: number][];
  info(): Promise<EngineIndexInfo>;
  counts(): Promise<EngineIndexCounts>;
  /**
   * Ready JSON of the answer to a search; `uid` is the name of the index in messages, `rules` may
   * pin documents, `stop` ends the search early, which then fails.
   */
  search(uid: string, request: string, rules?: AppliedRules, stop?: SearchStop): Promise<Buffer>;
  /**
   * The answer to a search without rules, if the same request was answered since the last commit
   * and is remembered. It is at hand: nothing waits for it.
   */
  recall(request: string): Buffer | undefined;
  /** What `search` and `recall` give, for who parses it: bytes would have to be decoded first. */
  searchText(
    uid: string,
    request: string,
    rules?: AppliedRules,
    stop?: SearchStop,
  ): Promise<string>;
  recallText(request: string): string | undefined;
  facetSearch(request: string, stop?: SearchStop): Promise<Buffer>;
  /** Ready JSON of the documents similar to one. */
  similar(request: string, stop?: SearchStop): Promise<Buffer>;
  documents(request: string): Promise<Buffer>;
  /** Ready JSON of the fields and what the settings make of them. */
  fields(request: string): Promise<Buffer>;
  /** Frees what removed documents and many small commits take. */
  compact(): Promise<void>;
  /** `options` is JSON: `{fields?: string[], retrieveVectors?: boolean}`. */
  document(id: string, options: string | null): Promise<Buffer | undefined>;
  /** All settings. */
  settings(): Promise<JsonText>;
  /** The settings without the words that they list, which may be long. */
  settingsWithoutWords(): Promise<string>;
  /** The uids of the indexes that foreign keys lead to, at once. */
  foreignUids(): readonly string[];
  /** Adds all documents to an archive, one a line, in the order of first insertion. */
  addDocumentsTo(archive: Archive, path: string): Promise<void>;
  /** Adds all files below a folder of an archive; the index is not written to meanwhile. */
  addFilesTo(archive: Archive, folder: string): Promise<void>;
  /** Chosen documents of this moment; `filter` is the JSON value of a filter, null for all. */
  lines(filter: unknown): Promise<DocumentLines>;
  /** Reads all its files, while nothing is written to it. */
  check(): Promise<IndexCheck>;
  close(): Promise<void>;
}

/** A file that does not hold what was written. */
export interface DamagedFile {
  readonly path: string;
  /** What is wrong with it. */
  readonly reason: string;
}

/** What a look through the files of an index found. */
export interface IndexCheck {
  /** How many files were read. */
  readonly files: number;
  readonly damaged: readonly DamagedFile[];
}

/** Documents in pieces of bounded size, in the order of first insertion. */
export interface DocumentLines {
  readonly nDocuments: number;
  /** The next piece, of so many bytes before compression at the most but at least one document. */
  next(maxBytes: number): Promise<DocumentPiece>;
}

/** Some documents as NDJSON, compressed with gzip; no documents after the last one. */
export interface DocumentPiece {
  readonly documents: number;
  readonly bytes: Buffer;
}

/** An open index and its uid. */
export interface NamedIndex {
  readonly uid: string;
  readonly index: EngineIndex;
}

/** What a commit says of an index. */
export interface LastCommit extends Pick<EngineIndexInfo, 'primaryKey' | 'lastBatch'> {
  readonly formatVersion: number;
  /** Whether an upgrade leads from its format to the present one. */
  readonly isOutdated: boolean;
}

/** Makes and opens indexes in folders. */
export interface Engine {
  createIndex(folder: string): Promise<EngineIndex>;
  openIndex(folder: string): Promise<EngineIndex>;
  /** What the last commit of an index says, whatever the format of its files. */
  lastCommit(folder: string): Promise<LastCommit>;
  /**
   * Brings an index that is not open to the present format, as a whole or not at all; throws
   * `BatchAborted` when the signal asks for it.
   */
  upgradeIndex(folder: string, signal: AbortSignal): Promise<void>;
  /** Ready JSON of the one list of hits that queries over several of its indexes give. */
  federatedSearch(
    indexes: readonly NamedIndex[],
    request: string,
    rules?: AppliedRules,
    stop?: SearchStop,
  ): Promise<Buffer>;
  close(): Promise<void>;
}

/** Operations for one index, in order. */
export interface EngineBatch {
  batchUid: number;
  finishedAt: null;
  operations: EngineOperation[];
}

/** One operation of a batch. */
export type EngineOperation = { taskUid: number } & (
  | {
      type: 'documentAdditionOrUpdate';
      method: 'replace' | 'update';
      primaryKey: string | null;
      payload: { file: string } | { inline: string };
      skipCreation: boolean;
    }
  | { type: 'documentDeletion'; ids: readonly string[] }
  /** Of ids in a file, one JSON string a line. */
  | { type: 'documentDeletion'; idsFile: string }
  | { type: 'documentDeletion'; filter: unknown }
  | {
      type: 'documentEdition';
      function: string;
      /** A text is the JSON of a context, whose numbers JavaScript would change. */
      context: Readonly<Record<string, unknown>> | string | null;
      filter: unknown;
    }
  | { type: 'documentClear' }
  | { type: 'settingsUpdate'; settings: Readonly<Record<string, unknown>> }
  /** Of settings in a file, one JSON object. */
  | { type: 'settingsUpdate'; settingsFile: string }
  | { type: 'primaryKeyUpdate'; primaryKey: string }
);

/** A step of a running batch. */
export interface EngineStep {
  currentStep: string;
  finished: number;
  total: number;
}

/** How one task of a batch ended. */
export interface EngineTaskResult {
  taskUid: number;
  status: 'succeeded' | 'failed';
  indexedDocuments?: number;
  deletedDocuments?: number;
  editedDocuments?: number;
  error?: { code: string; message: string };
}

/** What an index knows of itself. */
export interface EngineIndexInfo {
  primaryKey: string | null;
  numberOfDocuments: number;
  /** The last commit that came from a batch. */
  lastBatch: { uid: number; results: EngineTaskResult[] } | null;
}

/** What is counted in an index. */
export interface EngineIndexCounts {
  numberOfDocuments: number;
  numberOfEmbeddings: number;
  numberOfEmbeddedDocuments: number;
  fieldDistribution: Record<string, number>;
}

/** Thrown by `applyBatch` when it was asked to stop; nothing of the batch was kept. */
export class BatchAborted extends Error {
  override readonly name = 'BatchAborted';
}
