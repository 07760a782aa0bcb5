import { type DocumentSource, payloadOf } from '../documents/document-source.js';
import {
  documentQuerySchema,
  engineDocumentsRequest,
  fetchDocumentsSchema,
} from '../documents/documents-request.js';
import type { PayloadReader } from '../documents/payload-reader.js';
import { documentNotFound } from '../errors/not-found.js';
import { type Feature, requireFeature } from '../features/feature.js';
import { creationSchema } from '../indexes/index-creation.js';
import type { IndexReader, IndexStats } from '../indexes/index-reader.js';
import type { IndexRegistry } from '../indexes/index-registry.js';
import { requireReader } from '../indexes/require-reader.js';
import { textOf } from '../native/json-text.js';
import { facetSearchRequestSchema } from '../search/facet-search-request.js';
import { searchRequestSchema } from '../search/search-request.js';
import { similarRequestSchema } from '../search/similar-request.js';
import { askedSettings } from '../settings/asked-settings.js';
import { enabledSettings, enqueuedChange } from '../settings/settings-rules.js';
import { SETTING_NAMES, settingsSchema } from '../settings/settings-schema.js';
import type { TaskDraft } from '../tasks/task-draft.js';
import type { TaskQueue } from '../tasks/task-queue.js';
import { indexUid } from '../validation/index-uid.js';
import { validated } from '../validation/validated.js';
import { abortable } from './abortable.js';
import { additionOptionsSchema, payloadFormatOf } from './addition-options.js';
import type { Attribute } from './attribute.js';
import { type Where, whereOf } from './condition.js';
import { type EditOptions, editionDraft } from './document-edition.js';
import { checkedId, chosenDocuments } from './document-selection.js';
import type { AddOptions, DocumentsPage, DocumentsQuery, LongOptions } from './document-types.js';
import { type EnqueuedTask, enqueueAndWait } from './enqueued-task.js';
import { searchFacet, searchIndexText, searchSimilar } from './index-search.js';
import { plainParameters, present } from './plain-parameters.js';
import type { SearchParts } from './search-parts.js';
import type {
  AttributeOrAll,
  FacetSearchParameters,
  FacetSearchResponse,
  FilterInput,
  IndexQuery,
  ResponseOf,
  SearchParameters,
  SimilarParameters,
  SimilarResponse,
} from './search-types.js';
import type { Settings, SettingsChange } from './settings-types.js';

/** What an index handle works with. @internal */
export interface IndexParts {
  readonly tasks: TaskQueue;
  readonly indexes: IndexRegistry;
  readonly payloads: PayloadReader;
  readonly features: { all(): Readonly<Record<string, boolean>>; isOn(feature: Feature): boolean };
  readonly searching: SearchParts;
}

/** Documents that one step of a walk over all of them reads. */
const DOCUMENTS_AT_ONCE = 500;

/** What is refused while the network is off, in the words of requests. */
const USING_NETWORK = 'passing `useNetwork` in a search query';

const uidSchema = indexUid('invalid_index_uid');

/**
 * An index by its uid, whether it exists yet or not: the first write creates it. With a document
 * type, names of attributes are completed and checked.
 *
 * @example
 * ```ts
 * const { hits } = await movies.search('godfahter', {
 *   filter: (where) => where('year').atLeast(1970),
 *   sort: ['year:asc'],
 *   attributesToRetrieve: ['title', 'year'],
 * });
 * console.log(hits[0]?.title); // The Godfather
 * ```
 */
export class Index<T extends object = Record<string, unknown>> {
  readonly uid: string;
  /** Begins a condition of a filter on an attribute. */
  readonly where: Where<T> = whereOf<T>();
  readonly #parts: IndexParts;

  /** @internal */
  constructor(uid: string, parts: IndexParts) {
    this.uid = validated(uidSchema, uid);
    this.#parts = parts;
  }

  /** Creates the index; fails in the task when it exists. */
  async create(primaryKey: Attribute<T> | null = null): Promise<EnqueuedTask> {
    const asked = validated(creationSchema, { uid: this.uid, primaryKey });
    const { primaryKey: key = null } = asked;
    return this.#enqueue({ type: 'indexCreation', indexUid: this.uid, primaryKey: key });
  }

  /** Removes the index with its documents and settings. */
  drop(): Promise<EnqueuedTask> {
    return this.#enqueue({ type: 'indexDeletion', indexUid: this.uid });
  }

  /**
   * Adds documents; one with a known id is replaced. A source may be a list, an iterable, an async
   * iterable, a Node or a web stream, of objects or of bytes; of any size, all of it is one task.
   *
   * @example
   * ```ts
   * async function* rows() {
   *   yield { id: 10, title: 'Alien', year: 1979, genres: ['Horror'] };
   *   yield { id: 11, title: 'Aliens', year: 1986, genres: ['Action'] };
   * }
   * const task = await movies.addDocuments(rows(), { signal: AbortSignal.timeout(60_000) });
   * console.log((await task.wait()).details?.indexedDocuments); // 2
   * ```
   */
  addDocuments(source: DocumentSource<T>, options: AddOptions<T> = {}): Promise<EnqueuedTask> {
    return this.#add('replace', source, options);
  }

  /** Adds documents; one with a known id changes the fields it has of the stored one. */
  updateDocuments(
    source: DocumentSource<Partial<T>>,
    options: AddOptions<T> = {},
  ): Promise<EnqueuedTask> {
    return this.#add('update', source, options);
  }

  /** Deletes the document of an id, if there is one. */
  deleteDocument(id: string | number): Promise<EnqueuedTask> {
    return this.deleteDocuments([id]);
  }

  /**
   * Deletes documents by their ids, or those that pass a filter.
   *
   * @example
   * ```ts
   * await (await movies.deleteDocuments([1, 2])).wait();
   * await (await movies.deleteDocuments({ filter: movies.where('year').lessThan(1930) })).wait();
   * console.log((await movies.stats()).numberOfDocuments); // 1
   * ```
   */
  async deleteDocuments(
    selection: readonly (string | number)[] | { readonly filter: FilterInput<T> },
  ): Promise<EnqueuedTask> {
    const chosen = chosenDocuments(selection, this.#parts.features.all());
    return this.#enqueue({ type: 'documentDeletion', indexUid: this.uid, selection: chosen });
  }

  /**
   * Edits documents by a function: a script in Rhai that changes `doc`, or deletes the document by
   * `doc = ()`. Needs the experimental feature `editDocumentsByFunction`.
   *
   * @example
   * ```ts
   * await db.features.set({ editDocumentsByFunction: true });
   * const task = await movies.editDocuments('doc.title = doc.title + context.mark', {
   *   filter: (where) => where('year').lessThan(1930),
   *   context: { mark: ' (silent)' },
   * });
   * await task.wait();
   * console.log((await movies.getDocument(2)).title); // The Gold Rush (silent)
   * ```
   */
  async editDocuments(code: string, options: EditOptions<T> = {}): Promise<EnqueuedTask> {
    const features = this.#parts.features.all();
    return this.#enqueue(await editionDraft(this.uid, code, options, features));
  }

  /** Deletes every document; settings stay. */
  deleteAllDocuments(): Promise<EnqueuedTask> {
    return this.#enqueue({ type: 'documentDeletion', indexUid: this.uid, selection: 'all' });
  }

  /** One document, all of it or some attributes. Throws `document_not_found` or `index_not_found`. */
  async getDocument(id: string | number, fields?: readonly Attribute<T>[]): Promise<T> {
    const asked = validated(documentQuerySchema, { fields });
    const document = await (await this.#reader()).document(checkedId(id), asked.fields);
    if (document !== undefined) return JSON.parse(document.toString());
    throw documentNotFound(id);
  }

  /** A page of documents, in the order they were added unless sorted. */
  async getDocuments(query: DocumentsQuery<T> = {}): Promise<DocumentsPage<T>> {
    const asked = validated(fetchDocumentsSchema, plainParameters(query));
    const features = this.#parts.features.all();
    if (asked.useNetwork != null) requireFeature(features, 'network', USING_NETWORK);
    const request = engineDocumentsRequest(asked, features);
    const reader = await this.#reader();
    const page = await abortable(() => reader.documents(request), query.signal);
    return JSON.parse(page.toString());
  }

  /**
   * Every document, or those that pass a filter, one after another and never all in memory. They are
   * read in pages: of what is written meanwhile some may be missed or come twice.
   *
   * @example
   * ```ts
   * for await (const { title } of movies.documents({ filter: 'year = 1972' })) console.log(title); // The Godfather
   * ```
   */
  async *documents(
    query: Omit<DocumentsQuery<T>, 'offset' | 'limit' | 'ids'> = {},
  ): AsyncGenerator<T, void, undefined> {
    for (let offset = 0; ; ) {
      const page = await this.getDocuments({ ...query, offset, limit: DOCUMENTS_AT_ONCE });
      yield* page.results;
      offset += page.results.length;
      if (page.results.length === 0 || offset >= page.total) return;
    }
  }

  /**
   * Searches. Without words all documents are found, in the order of the ranking rules. Throws
   * `index_not_found` when there is no such index, and for a wrong parameter the code of it.
   */
  async search<const Paths extends AttributeOrAll<T> = '*'>(
    q: string | null,
    parameters: SearchParameters<T, Paths> & LongOptions = {},
  ): Promise<ResponseOf<T, Paths>> {
    const asked = { ...(q === null ? {} : { q }), ...plainParameters(parameters) };
    const request = validated(searchRequestSchema, asked);
    const { searching } = this.#parts;
    const answer = abortable(
      (stop) => searchIndexText(this.uid, request, searching, stop),
      parameters.signal,
    );
    return JSON.parse(await answer);
  }

  /** A search of this index as one of several, for `Serval.multiSearch`. */
  query(
    q: string | null,
    parameters: SearchParameters<T> & Pick<IndexQuery<T>, 'federationOptions'> = {},
  ): IndexQuery<T> {
    return {
      indexUid: this.uid,
      ...(q === null ? {} : { q }),
      ...(plainParameters(parameters) as Omit<IndexQuery<T>, 'indexUid'>),
    };
  }

  /**
   * Searches the values of a facet: those that begin like a text, in spite of typos.
   *
   * @example
   * ```ts
   * const { facetHits } = await movies.facetSearch('genres', 'dra');
   * console.log(facetHits[0]?.value); // Drama
   * ```
   */
  async facetSearch(
    facetName: Attribute<T>,
    facetQuery: string | null = null,
    parameters: FacetSearchParameters<T> & LongOptions = {},
  ): Promise<FacetSearchResponse> {
    const asked = plainParameters({ ...parameters, facetName, facetQuery });
    const request = validated(facetSearchRequestSchema, asked);
    const { searching } = this.#parts;
    const answer = abortable(
      (stop) => searchFacet(this.uid, request, searching, stop),
      parameters.signal,
    );
    return JSON.parse((await answer).toString());
  }

  /** Documents whose vectors are like those of one document. */
  async similar(
    id: string | number,
    parameters: SimilarParameters<T> & LongOptions,
  ): Promise<SimilarResponse<T>> {
    const request = validated(similarRequestSchema, plainParameters({ ...parameters, id }));
    const { searching } = this.#parts;
    const answer = abortable(
      (stop) => searchSimilar(this.uid, request, searching, stop),
      parameters.signal,
    );
    return JSON.parse((await answer).toString());
  }

  /**
   * All settings but those whose experimental feature is off, with the keys of embedders as they are.
   * Throws `index_not_found`.
   */
  async settings(): Promise<Settings<T>> {
    const { features } = this.#parts;
    const settings = textOf(await (await this.#reader()).settings());
    return JSON.parse(enabledSettings(settings, (feature) => features.isOn(feature)));
  }

  /**
   * Changes settings; those not given stay, null resets one.
   *
   * @example
   * ```ts
   * const task = await movies.updateSettings({ stopWords: ['the'], rankingRules: null });
   * await task.wait();
   * console.log((await movies.settings()).stopWords); // [ 'the' ]
   * ```
   */
  async updateSettings(change: SettingsChange<T>): Promise<EnqueuedTask> {
    const { features } = this.#parts;
    const asked = validated(settingsSchema, present(change));
    return this.#enqueue({
      type: 'settingsUpdate',
      indexUid: this.uid,
      ...askedSettings(asked, (feature) => features.isOn(feature)),
      mayCreateIndex: true,
    });
  }

  /** Sets all settings back to their defaults; fails in the task when there is no such index. */
  async resetSettings(): Promise<EnqueuedTask> {
    const nothing = Object.fromEntries(SETTING_NAMES.map((name) => [name, null]));
    return this.#enqueue({
      type: 'settingsUpdate',
      indexUid: this.uid,
      settings: enqueuedChange(nothing),
      mayCreateIndex: false,
    });
  }

  /** Counts, and sizes in bytes. Throws `index_not_found`. */
  async stats(): Promise<IndexStats> {
    return (await this.#reader()).stats();
  }

  async #add(
    method: 'replace' | 'update',
    source: DocumentSource<object>,
    options: AddOptions<T>,
  ): Promise<EnqueuedTask> {
    const { signal, onProgress, ...asked } = options;
    const { format, ...draft } = validated(additionOptionsSchema, present(asked));
    const { primaryKey = null, skipCreation, customMetadata } = draft;
    const { tasks, payloads } = this.#parts;
    tasks.requireOpen();
    const reading = { format: format && payloadFormatOf(format), signal, onProgress };
    const payload = await payloadOf(source, payloads, reading).catch((error) => {
      // Closed meanwhile, the instance may have taken the folder of payloads away.
      tasks.requireOpen();
      throw error;
    });
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

  #enqueue(draft: TaskDraft): Promise<EnqueuedTask> {
    return enqueueAndWait(this.#parts.tasks, draft);
  }

  #reader(): Promise<IndexReader> {
    return requireReader(this.#parts, this.uid);
  }
}
