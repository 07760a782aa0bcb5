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

/** Reads from one index: requests are JSON, answers are ready JSON. @internal */
export class IndexReader {
  readonly #uid: string;
  readonly #index: EngineIndex;
  readonly #folder: string;
  readonly #isIndexing: () => boolean;

  constructor(uid: string, index: EngineIndex, folder: string, isIndexing: () => boolean) {
    this.#uid = uid;
    this.#index = index;
    this.#folder = folder;
    this.#isIndexing = isIndexing;
  }

  /** Answers a validated search request; rules may pin documents, `stop` ends it early. */
  search(request: string, rules?: AppliedRules, stop?: SearchStop): Promise<Buffer> {
    return this.#index.search(this.#uid, request, rules, stop);
  }

  /** The answer to a search, if it is remembered: never where rules may apply. */
  recall(request: string, rules?: AppliedRules): Buffer | undefined {
    return rules === undefined ? this.#index.recall(request) : undefined;
  }

  /** What `search` gives, for who parses it. */
  searchText(request: string, rules?: AppliedRules, stop?: SearchStop): Promise<string> {
    return this.#index.searchText(this.#uid, request, rules, stop);
  }

  /** What `recall` gives, for who parses it. */
  recallText(request: string, rules?: AppliedRules): string | undefined {
    return rules === undefined ? this.#index.recallText(request) : undefined;
  }

  /** Answers a search for facet values. */
  facetSearch(request: string, stop?: SearchStop): Promise<Buffer> {
    return this.#index.facetSearch(request, stop);
  }

  /** Answers a search for similar documents. */
  similar(request: string, stop?: SearchStop): Promise<Buffer> {
    return this.#index.similar(request, stop);
  }

  /** Answers a listing of documents. */
  documents(request: string): Promise<Buffer> {
    return this.#index.documents(request);
  }

  /** Answers a listing of fields. */
  fields(request: string): Promise<Buffer> {
    return this.#index.fields(request);
  }

  /** One document, `undefined` when there is none of that id. */
  document(
    id: string,
    fields?: readonly string[],
    retrieveVectors?: boolean,
  ): Promise<Buffer | undefined> {
    const asked = fields === undefined && retrieveVectors === undefined;
    const options = asked ? null : JSON.stringify({ fields, retrieveVectors });
    return this.#index.document(id, options);
  }

  /** The uids of the indexes that foreign keys lead to. */
  foreignUids(): readonly string[] {
    return this.#index.foreignUids();
  }

  /** All settings. */
  settings(): Promise<JsonText> {
    return this.#index.settings();
  }

  /** The settings as JSON, without the words that they list, which may be long. */
  settingsWithoutWords(): Promise<string> {
    return this.#index.settingsWithoutWords();
  }

  /** Bytes on disk by what they hold. */
  sizes(): Promise<Record<string, number>> {
    return sizesByContent(this.#folder);
  }

  async numberOfDocuments(): Promise<number> {
    return (await this.#index.counts()).numberOfDocuments;
  }

  async stats(): Promise<IndexStats> {
    const [counts, size] = await Promise.all([this.#index.counts(), folderSize(this.#folder)]);
    const n = counts.numberOfDocuments;
    return {
      ...counts,
      indexSize: size,
      usedIndexSize: size,
      rawDocumentDbSize: size,
      avgDocumentSize: n === 0 ? 0 : Math.floor(size / n),
      isIndexing: this.#isIndexing(),
    };
  }
}
