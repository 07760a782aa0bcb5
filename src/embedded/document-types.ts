import type { DocumentSource } from '../documents/document-source.js';
import type { PayloadFormat } from '../documents/payload-reader.js';
import type { Attribute } from './attribute.js';
import type { FilterInput, SortCriterion } from './search-types.js';

export type { DocumentSource };

/** How much of a source of documents was read. */
export interface ReadingProgress {
  /** Objects read; 0 while the source gives bytes. */
  documents: number;
  /** Bytes read; of objects, those of their JSON. */
  bytes: number;
}

/** What anything that may take long takes. */
export interface LongOptions {
  /** Aborted, what was begun ends with the reason of the signal. */
  signal?: AbortSignal | undefined;
}

/** How documents are added. */
export interface AddOptions<T = Record<string, unknown>> extends LongOptions {
  /** The attribute that identifies documents; guessed from the first one when absent. */
  primaryKey?: Attribute<T> | undefined;
  /** Documents that do not exist yet are ignored. */
  skipCreation?: boolean | undefined;
  /** A text that the task shows. */
  customMetadata?: string | undefined;
  /** The format of sources of bytes; NDJSON when absent. */
  format?: PayloadFormat | undefined;
  /** Told while the source is read, and once when all of it is. */
  onProgress?: ((progress: ReadingProgress) => void) | undefined;
}

/** Which documents are read, and what of them. */
export interface DocumentsQuery<T = Record<string, unknown>> extends LongOptions {
  /** Documents to leave out at the start. */
  offset?: number | undefined;
  /** Documents of a page at the most; 20 when absent. */
  limit?: number | undefined;
  /** The attributes that are read; all when absent. */
  fields?: readonly Attribute<T>[] | null | undefined;
  /** Documents of these ids only; an id that there is not is passed over. */
  ids?: readonly (string | number)[] | null | undefined;
  filter?: FilterInput<T> | null | undefined;
  sort?: readonly SortCriterion<T>[] | null | undefined;
  /** Adds the vectors of each document as `_vectors`. */
  retrieveVectors?: boolean | undefined;
}

/** One page of documents. */
export interface DocumentsPage<T> {
  results: T[];
  offset: number;
  limit: number;
  /** Documents there are, on this page or not. */
  total: number;
}
