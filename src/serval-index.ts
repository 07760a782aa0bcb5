import { type DocumentSource, payloadOf } from './documents/document-source.js';
import type { PayloadFormat, PayloadReader } from './documents/payload-reader.js';
import { ApiError } from './errors/api-error.js';
import type { IndexReader, IndexStats } from './indexes/index-reader.js';
import type { IndexInfo, IndexRegistry } from './indexes/index-registry.js';
import { type QueryEmbedder, withQueryVector } from './search/query-vector.js';
import type { SearchRequest } from './search/search-request.js';
import { enqueuedChange, shownChange } from './settings/settings-rules.js';
import { SETTING_NAMES, type SettingsChange } from './settings/settings-schema.js';
import type { Task, TaskSummary } from './tasks/task.js';
import type { TaskDraft } from './tasks/task-draft.js';
import type { TaskQueue, WaitOptions } from './tasks/task-queue.js';

/** A write that was accepted; `wait` resolves to its task once it is done. */
export interface EnqueuedTask extends TaskSummary {
  /** Resolves to the succeeded task; throws its error when it failed or was canceled. */
  wait(options?: WaitOptions): Promise<Task>;
}

/** How documents are added. */
export interface AddOptions {
  /** The attribute that identifies documents; guessed from the first one when absent. */
  primaryKey?: string;
  /** Documents that do not exist yet are ignored. */
  skipCreation?: boolean;
  customMetadata?: string;
  /** The format of sources of bytes; NDJSON when absent. */
  format?: PayloadFormat;
}

/** Which documents are read, and what of them. */
export interface DocumentsQuery {
  offset?: number;
  limit?: number;
  fields?: string[];
  ids?: (string | number)[];
  filter?: string | unknown[];
  sort?: string[];
  retrieveVectors?: boolean;
}

/** One page of documents. */
export interface DocumentsPage<T> {
  results: T[];
  offset: number;
  limit: number;
  total: number;
}

/** A value as `_formatted` shows it: numbers become texts. */
export type Formatted<V> = V extends number
  ? string
  : V extends readonly (infer Item)[]
    ? Formatted<Item>[]
    : V extends object
      ? { [Key in keyof V]?: Formatted<V[Key]> }
      : V;

/** A found document, with what the parameters of the search add to it. */
export type Hit<T> = T & {
  _formatted?: Formatted<T>;
  _matchesPosition?: Record<string, { start: number; length: number; indices?: number[] }[]>;
  _rankingScore?: number;
  _rankingScoreDetails?: Record<string, unknown>;
  _geoDistance?: number;
};

/** The answer to a search; parameters add more keys. */
export interface SearchResult<T> {
  hits: Hit<T>[];
  query: string;
  processingTimeMs: number;
  limit?: number;
  offset?: number;
  estimatedTotalHits?: number;
  totalHits?: number;
  totalPages?: number;
  hitsPerPage?: number;
  page?: number;
  facetDistribution?: Record<string, Record<string, number>>;
  facetStats?: Record<string, { min: number; max: number }>;
  [key: string]: unknown;
}

/** What an index handle works with. */
export interface IndexParts {
  readonly tasks: TaskQueue;
  readonly indexes: IndexRegistry;
  readonly payloads: PayloadReader;
  readonly embedders: QueryEmbedder;
}

/** An index by its uid, whether it exists yet or not: the first write creates it. */
export class Index<T extends object = Record<string, unknown>> {
  readonly uid: string;
  readonly #parts: IndexParts;

  constructor(uid: string, parts: IndexParts) {
    this.uid = uid;
    this.#parts = parts;
  }

  /** Creates the index; fails in the task when it exists. */
  create(primaryKey: string | null = null): Promise<EnqueuedTask> {
    return this.#enqueue({ type: 'indexCreation', indexUid: this.uid, primaryKey });
  }

  /** Removes the index with its documents and settings. */
  drop(): Promise<EnqueuedTask> {
    return this.#enqueue({ type: 'indexDeletion', indexUid: this.uid });
  }

  /** Its dates and primary key, `undefined` while it does not exist. */
  info(): Promise<IndexInfo | undefined> {
    return this.#parts.indexes.get(this.uid);
  }

  /** Adds documents; one with a known id replaces the stored one. */
  addDocuments(source: DocumentSource<T>, options: AddOptions = {}): Promise<EnqueuedTask> {
    return this.#add('replace', source, options);
  }

  /** Adds documents; one with a known id changes the fields it has of the stored one. */
  updateDocuments(
    source: DocumentSource<Partial<T>>,
    options: AddOptions = {},
  ): Promise<EnqueuedTask> {
    return this.#add('update', source, options);
  }

  /** Deletes the document of an id, if there is one. */
  deleteDocument(id: string | number): Promise<EnqueuedTask> {
    return this.deleteDocuments([id]);
  }

  /** Deletes documents by their ids, or those that pass a filter. */
  deleteDocuments(
    selection: readonly (string | number)[] | { filter: string | unknown[] },
  ): Promise<EnqueuedTask> {
    const chosen =
      'filter' in selection && !Array.isArray(selection)
        ? { filter: selection.filter }
        : { ids: (selection as readonly (string | number)[]).map(String) };
    return this.#delete(chosen);
  }

  /** Deletes every document; settings stay. */
  deleteAllDocuments(): Promise<EnqueuedTask> {
    return this.#delete('all');
  }

  /** One document; throws `document_not_found`. */
  async getDocument(id: string | number, fields?: string[]): Promise<T> {
    const document = await (await this.#reader()).document(String(id), fields);
    if (document !== undefined) return JSON.parse(document.toString());
    throw new ApiError('document_not_found', `Document \`${id}\` not found.`);
  }

  /** A page of documents, in the order they were added unless sorted. */
  async getDocuments(query: DocumentsQuery = {}): Promise<DocumentsPage<T>> {
    const request = JSON.stringify({ offset: 0, limit: 20, ...query });
    return JSON.parse((await (await this.#reader()).documents(request)).toString());
  }

  /** Searches; parameters are those of the HTTP route. */
  async search(
    q: string | null,
    parameters: Readonly<Record<string, unknown>> = {},
  ): Promise<SearchResult<T>> {
    const reader = await this.#reader();
    const asked = { ...(q === null ? {} : { q }), ...parameters } as SearchRequest;
    const search = await withQueryVector(this.uid, asked, reader, this.#parts.embedders);
    return JSON.parse((await reader.search(JSON.stringify(search))).toString());
  }

  /** All settings. */
  async settings(): Promise<Record<string, unknown>> {
    return JSON.parse(await (await this.#reader()).settings());
  }

  /** Changes settings; those not given stay, null resets one. */
  updateSettings(change: SettingsChange): Promise<EnqueuedTask> {
    const settings = enqueuedChange(change);
    const shownSettings = shownChange(settings);
    const { uid: indexUid } = this;
    const mayCreateIndex = true;
    return this.#enqueue({
      type: 'settingsUpdate',
      indexUid,
      settings,
      shownSettings,
      mayCreateIndex,
    });
  }

  /** Sets all settings back to their defaults. */
  resetSettings(): Promise<EnqueuedTask> {
    const nothing = Object.fromEntries(SETTING_NAMES.map((name) => [name, null]));
    return this.updateSettings(nothing as SettingsChange);
  }

  /** Counts and sizes. */
  async stats(): Promise<IndexStats> {
    return (await this.#reader()).stats();
  }

  async #add(
    method: 'replace' | 'update',
    source: DocumentSource<object>,
    options: AddOptions,
  ): Promise<EnqueuedTask> {
    const { primaryKey = null, skipCreation = false, customMetadata } = options;
    const format = options.format ?? { format: 'ndjson' };
    const payload = await payloadOf(source, format, this.#parts.payloads);
    return this.#enqueue({
      type: 'documentAdditionOrUpdate',
      indexUid: this.uid,
      method,
      primaryKey,
      skipCreation,
      payload,
      mayCreateIndex: true,
      ...(customMetadata === undefined ? {} : { customMetadata }),
    });
  }

  #delete(selection: Extract<TaskDraft, { selection: unknown }>['selection']) {
    return this.#enqueue({ type: 'documentDeletion', indexUid: this.uid, selection });
  }

  #enqueue(draft: TaskDraft): Promise<EnqueuedTask> {
    return enqueueAndWait(this.#parts.tasks, draft);
  }

  async #reader(): Promise<IndexReader> {
    const reader = await this.#parts.indexes.reader(this.uid);
    if (reader !== undefined) return reader;
    throw new ApiError('index_not_found', `Index \`${this.uid}\` not found.`);
  }
}

/** Enqueues a write and gives its acknowledgement a `wait`. */
export async function enqueueAndWait(tasks: TaskQueue, draft: TaskDraft): Promise<EnqueuedTask> {
  const summary = await tasks.enqueue(draft);
  return { ...summary, wait: (options) => waitForSuccess(tasks, summary.taskUid, options) };
}

async function waitForSuccess(tasks: TaskQueue, uid: number, options?: WaitOptions): Promise<Task> {
  const task = await tasks.waitFor(uid, options);
  if (task.status === 'succeeded') return task;
  const code = (task.error?.code ?? 'internal') as ApiError['code'];
  throw new ApiError(code, task.error?.message ?? `Task \`${uid}\` was canceled.`);
}
