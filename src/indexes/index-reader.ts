import type { ApiError } from '../errors/api-error.js';
import type { EngineIndex } from '../native/engine-index.js';
import type { JsonText } from '../native/json-text.js';
import type { AppliedRules } from '../native/search-rules.js';
import type { SearchStop } from '../native/search-stop.js';
import { folderSize, sizesByContent } from './folder-size.js';

/** What is counted about one index; sizes in bytes. */
export interface IndexStats {
  numberOfDocuments: number;
  indexSize: number;
  usedIndexSize: number;
  rawDocumentDbSize: number;
  avgDocumentSize: number;
  isIndexing: boolean;
  numberOfEmbeddings: number;
  numberOfEmbeddedDocuments: number;
  fieldDistribution: Record<string, number>;
}

/** What an index reader is told by who has opened the index. @internal */
export interface ReaderOwner {
  readonly isIndexing: () => boolean;
  /** Why the index is not open any more. */
  readonly whyClosed: () => ApiError;
}

/**
 * Reads from one index: requests are JSON, answers are ready JSON. The index may be deleted while a
 * request waits for its turn, or for a vector; then it is refused. @internal
 */
export class IndexReader {
  readonly #uid: string;
  readonly #index: EngineIndex;
  readonly #folder: string;
  readonly #owner: ReaderOwner;

  constructor(uid: string, index: EngineIndex, folder: string, owner: ReaderOwner) {
    this.#uid = uid;
    this.#index = index;
    this.#folder = folder;
    this.#owner = owner;
  }

  /** Answers a validated search request; rules may pin documents, `stop` ends it early. */
  search(request: string, rules?: AppliedRules, stop?: SearchStop): Promise<Buffer> {
    return this.#open.search(this.#uid, request, rules, stop);
  }

  /** The answer to a search, if it is remembered: never where rules may apply. */
  recall(request: string, rules?: AppliedRules): Buffer | undefined {
    return rules === undefined ? this.#index.recall(request) : undefined;
  }

  /** What `search` gives, for who parses it. */
  searchText(request: string, rules?: AppliedRules, stop?: SearchStop): Promise<string> {
    return this.#open.searchText(this.#uid, request, rules, stop);
  }

  /** What `recall` gives, for who parses it. */
  recallText(request: string, rules?: AppliedRules): string | undefined {
    return rules === undefined ? this.#index.recallText(request) : undefined;
  }

  /** Answers a search for facet values. */
  facetSearch(request: string, stop?: SearchStop): Promise<Buffer> {
    return this.#open.facetSearch(request, stop);
  }

  /** Answers a search for similar documents. */
  similar(request: string, stop?: SearchStop): Promise<Buffer> {
    return this.#open.similar(request, stop);
  }

  /** Answers a listing of documents. */
  documents(request: string): Promise<Buffer> {
    return this.#open.documents(request);
  }

  /** Answers a listing of fields. */
  fields(request: string): Promise<Buffer> {
    return this.#open.fields(request);
  }

  /** One document, `undefined` when there is none of that id. */
  document(
    id: string,
    fields?: readonly string[],
    retrieveVectors?: boolean,
  ): Promise<Buffer | undefined> {
    const asked = fields === undefined && retrieveVectors === undefined;
    const options = asked ? null : JSON.stringify({ fields, retrieveVectors });
    return this.#open.document(id, options);
  }

  /** The uids of the indexes that foreign keys lead to. */
  foreignUids(): readonly string[] {
    return this.#index.foreignUids();
  }

  /** All settings. */
  settings(): Promise<JsonText> {
    return this.#open.settings();
  }

  /** The settings as JSON, without the words that they list, which may be long. */
  settingsWithoutWords(): Promise<string> {
    return this.#open.settingsWithoutWords();
  }

  /** Bytes on disk by what they hold. */
  sizes(): Promise<Record<string, number>> {
    return sizesByContent(this.#folder);
  }

  async numberOfDocuments(): Promise<number> {
    return (await this.#open.counts()).numberOfDocuments;
  }

  async stats(): Promise<IndexStats> {
    const [counts, size] = await Promise.all([this.#open.counts(), folderSize(this.#folder)]);
    const n = counts.numberOfDocuments;
    return {
      ...counts,
      indexSize: size,
      usedIndexSize: size,
      rawDocumentDbSize: size,
      avgDocumentSize: n === 0 ? 0 : Math.floor(size / n),
      isIndexing: this.#owner.isIndexing(),
    };
  }

  get #open(): EngineIndex {
    if (this.#index.isClosed) throw this.#owner.whyClosed();
    return this.#index;
  }
}
