/** What the tasks need of a search index on disk; the native engine stands behind it. */
export interface EngineIndex {
  /** Applies operations in order, in one commit, and tells how each task ended. */
  applyBatch(batch: EngineBatch): Promise<EngineTaskResult[]>;
  /** Asks a running `applyBatch` to stop; it then throws `BatchAborted`. */
  abortBatch?(): void;
  info(): Promise<EngineIndexInfo>;
  /** Ready JSON of the answer to a search; `uid` is the name of the index in messages. */
  search(uid: string, request: Buffer): Promise<Buffer>;
  facetSearch(request: Buffer): Promise<Buffer>;
  /** Ready JSON of the documents similar to one. */
  similar(request: Buffer): Promise<Buffer>;
  documents(request: Buffer): Promise<Buffer>;
  /** `options` is JSON: `{fields?: string[], retrieveVectors?: boolean}`. */
  document(id: string, options: string | null): Promise<Buffer | undefined>;
  settings(): Promise<string>;
  close(): Promise<void>;
}

/** Makes and opens indexes in folders. */
export interface Engine {
  createIndex(folder: string): Promise<EngineIndex>;
  openIndex(folder: string): Promise<EngineIndex>;
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
  | { type: 'documentDeletion'; filter: unknown }
  | { type: 'documentClear' }
  | { type: 'settingsUpdate'; settings: Readonly<Record<string, unknown>> }
  | { type: 'primaryKeyUpdate'; primaryKey: string }
);

/** How one task of a batch ended. */
export interface EngineTaskResult {
  taskUid: number;
  status: 'succeeded' | 'failed';
  indexedDocuments?: number;
  deletedDocuments?: number;
  error?: { code: string; message: string };
}

/** What an index knows of itself. */
export interface EngineIndexInfo {
  primaryKey: string | null;
  numberOfDocuments: number;
  fieldDistribution: Record<string, number>;
  /** Bytes of the stored documents, when the index counts them. */
  rawDocumentDbSize?: number;
  numberOfEmbeddings?: number;
  numberOfEmbeddedDocuments?: number;
  /** The last commit that came from a batch. */
  lastBatch: { uid: number; results: EngineTaskResult[] } | null;
}

/** Thrown by `applyBatch` when it was asked to stop; nothing of the batch was kept. */
export class BatchAborted extends Error {
  override readonly name = 'BatchAborted';
}
