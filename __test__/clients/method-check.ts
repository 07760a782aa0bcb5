import type { Index, Meilisearch } from 'meilisearch';

/** A document of the checks. */
export interface Film {
  id: number;
  title: string;
  genre?: string;
  year?: number;
  [field: string]: unknown;
}

/** What a check works with: the client, and an index of three films that is its own. */
export interface Stage {
  readonly client: Meilisearch;
  readonly index: Index<Film>;
  /** Where a service for chats listens, that answers everything with one word. */
  readonly chatService: string;
}

/** Calls one method of the client and looks at what comes back; throws when it is wrong. */
export type MethodCheck = (stage: Stage) => Promise<void>;

/** The films that every index of a check holds. */
export const FILMS: readonly Film[] = [
  { id: 1, title: 'Alien', genre: 'horror', year: 1979 },
  { id: 2, title: 'Aliens', genre: 'action', year: 1986 },
  { id: 3, title: 'Blade Runner', genre: 'drama', year: 1982 },
];
