import type { DocumentSource } from '../documents/document-source.js';
import type { PayloadFormat } from '../documents/payload-reader.js';
import type { Attribute } from './attribute.js';
import type { FilterInput, SortCriterion } from './search-types.js';

export type { DocumentSource };

/** How much of a source of documents was read. */
export interface ReadingProgress {
  /** Objects read; 0 while the source gives bytes. */
  documents: number;
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
  offset?: number | undefined;
  limit?: number | undefined;
  fields?: readonly Attribute<T>[] | null | undefined;
  ids?: readonly (string | number)[] | null | undefined;
  filter?: FilterInput<T> | null | undefined;
  sort?: readonly SortCriterion<T>[] | null | undefined;
  retrieveVectors?: boolean | undefined;
}

/** One page of documents. */
export interface DocumentsPage<T> {
  results: T[];
  offset: number;
  limit: number;
  total: number;
}
