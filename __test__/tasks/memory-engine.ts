import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  BatchAborted,
  type Engine,
  type EngineBatch,
  type EngineIndex,
  type EngineIndexCounts,
  type EngineIndexInfo,
  type EngineOperation,
  type EngineTaskResult,
  type IndexCheck,
} from '../../src/native/engine-index.js';

interface State {
  primaryKey: string | null;
  documents: [string, Record<string, unknown>][];
  settings: Record<string, unknown>;
  lastBatch: EngineIndexInfo['lastBatch'];
}

/** What a test can do to the engine from outside. */
export interface EngineControls {
  /** Called before a batch is applied; a promise holds it, an error breaks it. */
  beforeBatch?: (batch: EngineBatch) => Promise<void> | void;
  /** Called once the batch is on disk, before the tasks hear of it. */
  afterCommit?: (batch: EngineBatch) => Promise<void> | void;
  batches: EngineBatch[];
  /** Numbers of the batches that were said to be followed, as often as it was said. */
  followed?: number[];
}

/** A small engine without search: one JSON file per index, written at every commit. */
export function memoryEngine(controls: EngineControls): Engine {
  return {
    createIndex: async (folder) => {
      mkdirSync(folder, { recursive: true });
      const state = { primaryKey: null, documents: [], settings: {}, lastBatch: null };
      return new MemoryIndex(folder, state, controls);
    },
    openIndex: async (folder) => {
      const state = JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8')) as State;
      return new MemoryIndex(folder, state, controls);
    },
    lastCommit: async (folder) => {
      const { primaryKey, lastBatch } = JSON.parse(
        readFileSync(join(folder, 'state.json'), 'utf8'),
      ) as State;
      return { formatVersion: 1, isOutdated: false, primaryKey, lastBatch };
    },
    upgradeIndex: async () => undefined,
    federatedSearch: async () => Buffer.from('{"hits":[]}'),
    close: async () => undefined,
  };
}

class MemoryIndex implements EngineIndex {
  readonly #folder: string;
  readonly #controls: EngineControls;
  #state: State;
  #aborted = false;
  isClosed = false;

  constructor(folder: string, state: State, controls: EngineControls) {
    this.#folder = folder;
    this.#state = state;
    this.#controls = controls;
    this.#save();
  }

  async applyBatch(batch: EngineBatch): Promise<EngineTaskResult[]> {
    this.#aborted = false;
    this.#controls.batches.push(batch);
    await this.#controls.beforeBatch?.(batch);
    if (this.#aborted) throw new BatchAborted();
    const results = batch.operations.map((operation) => this.#apply(operation));
    this.#state.lastBatch = { uid: batch.batchUid, results };
    this.#save();
    await this.#controls.afterCommit?.(batch);
    return results;
  }

  async check(): Promise<IndexCheck> {
    return { files: 0, damaged: [] };
  }

  expectMore(batchUid: number): void {
    this.#controls.followed?.push(batchUid);
  }

  abortBatch(): void {
    this.#aborted = true;
  }

  batchProgress(): [] {
    return [];
  }

  batchTrace(): [] {
    return [];
  }

  async info(): Promise<EngineIndexInfo> {
    const { primaryKey, documents, lastBatch } = this.#state;
    return { primaryKey, numberOfDocuments: documents.length, lastBatch };
  }

  async counts(): Promise<EngineIndexCounts> {
    const numberOfDocuments = this.#state.documents.length;
    return {
      numberOfDocuments,
      numberOfEmbeddings: 0,
      numberOfEmbeddedDocuments: 0,
      fieldDistribution: {},
    };
  }

  search(): Promise<Buffer> {
    return this.documents();
  }

  recall(): undefined {
    return undefined;
  }

  async searchText(): Promise<string> {
    return (await this.documents()).toString();
  }

  recallText(): undefined {
    return undefined;
  }

  async similar(): Promise<Buffer> {
    return Buffer.from('{"hits":[]}');
  }

  async facetSearch(): Promise<Buffer> {
    return Buffer.from('{"facetHits":[],"facetQuery":null}');
  }

  async fields(): Promise<Buffer> {
    return Buffer.from('{"results":[],"offset":0,"limit":20,"total":0}');
  }

  async compact(): Promise<void> {
    // There is nothing to free.
  }

  async documents(): Promise<Buffer> {
    return Buffer.from(
      JSON.stringify({ results: this.#state.documents.map(([, value]) => value) }),
    );
  }

  async document(id: string): Promise<Buffer | undefined> {
    const found = this.#state.documents.find(([known]) => known === id);
    return found === undefined ? undefined : Buffer.from(JSON.stringify(found[1]));
  }

  foreignUids(): readonly string[] {
    return [];
  }

  async settings(): Promise<string> {
    return JSON.stringify(this.#state.settings);
  }

  async settingsWithoutWords(): Promise<string> {
    return this.settings();
  }

  async addDocumentsTo(): Promise<void> {
    throw new Error('the small engine is in no archive');
  }

  async addFilesTo(): Promise<void> {
    throw new Error('the small engine is in no archive');
  }

  async lines(): Promise<never> {
    throw new Error('the small engine has no lines');
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  #save(): void {
    if (existsSync(this.#folder)) {
      writeFileSync(join(this.#folder, 'state.json'), JSON.stringify(this.#state));
    }
  }

  #apply(operation: EngineOperation): EngineTaskResult {
    const { taskUid } = operation;
    switch (operation.type) {
      case 'documentAdditionOrUpdate':
        return this.#add(operation);
      case 'documentClear': {
        const deletedDocuments = this.#state.documents.length;
        this.#state.documents = [];
        return { taskUid, status: 'succeeded', deletedDocuments };
      }
      case 'documentDeletion': {
        const ids = 'ids' in operation ? operation.ids : [];
        const kept = this.#state.documents.filter(([id]) => !ids.includes(id));
        const deletedDocuments = this.#state.documents.length - kept.length;
        this.#state.documents = kept;
        return { taskUid, status: 'succeeded', deletedDocuments };
      }
      case 'documentEdition': {
        const error = { code: 'internal', message: 'the small engine runs no functions' };
        return { taskUid, status: 'failed', error };
      }
      case 'settingsUpdate':
        if ('settingsFile' in operation) throw new Error('this engine reads no files');
        Object.assign(this.#state.settings, operation.settings);
        return { taskUid, status: 'succeeded' };
      case 'primaryKeyUpdate':
        return this.#setKey(taskUid, operation.primaryKey);
    }
  }

  #setKey(taskUid: number, key: string): EngineTaskResult {
    const { primaryKey, documents } = this.#state;
    if (documents.length > 0 && primaryKey !== key) {
      const message = `Index already has a primary key: \`${primaryKey}\`.`;
      const error = { code: 'index_primary_key_already_exists', message };
      return { taskUid, status: 'failed', error };
    }
    this.#state.primaryKey = key;
    return { taskUid, status: 'succeeded' };
  }

  #add(operation: Extract<EngineOperation, { payload: unknown }>): EngineTaskResult {
    const { taskUid, payload, primaryKey } = operation;
    const text = 'file' in payload ? readFileSync(payload.file, 'utf8') : payload.inline;
    const documents = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const key = this.#state.primaryKey ?? primaryKey ?? 'id';
    if (documents.some((document) => document[key] === undefined)) {
      const message = `Document doesn't have a \`${key}\` attribute: \`{}\`.`;
      return { taskUid, status: 'failed', error: { code: 'missing_document_id', message } };
    }
    if (documents.length > 0) this.#state.primaryKey = key;
    const stored = new Map(this.#state.documents);
    for (const document of documents) stored.set(String(document[key]), document);
    this.#state.documents = [...stored];
    return { taskUid, status: 'succeeded', indexedDocuments: documents.length };
  }
}
