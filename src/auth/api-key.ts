import type { KeyAction } from './actions.js';

/** An API key as it is kept: without its secret, which follows from the uid and the master key. */
export interface StoredKey {
  /** UUID in its hyphenated lower-case form. */
  readonly uid: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly actions: readonly KeyAction[];
  /** Patterns of index uids. */
  readonly indexes: readonly string[];
  readonly expiresAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** An API key as it is shown, in the order of the wire. */
export interface ApiKey {
  name: string | null;
  description: string | null;
  key: string;
  uid: string;
  actions: readonly KeyAction[];
  indexes: readonly string[];
  expiresAt: string | null;
  createdAt: string;
  updatedAt: string;
}

/** What is said of a key that is to be made. */
export interface KeyCreation {
  /** A UUID of version 4; a random one when absent. */
  readonly uid?: string | undefined;
  readonly name?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly actions: readonly KeyAction[];
  /** Uids of indexes, or patterns of them with `*` at the end. */
  readonly indexes: readonly string[];
  /** A day or a date-time of RFC 3339 that is to come; null: never. */
  readonly expiresAt: string | null;
}

/** A new key that was checked; the rest follows. */
export type NewKey = Pick<
  StoredKey,
  'uid' | 'name' | 'description' | 'actions' | 'indexes' | 'expiresAt'
>;

/** What can be changed of a key; `undefined` leaves it. */
export interface KeyChange {
  readonly name?: string | null | undefined;
  readonly description?: string | null | undefined;
}

/** A key with its secret, as it is shown. */
export function shownKey(stored: StoredKey, key: string): ApiKey {
  const { name, description, uid, actions, indexes, expiresAt, createdAt, updatedAt } = stored;
  return { name, description, key, uid, actions, indexes, expiresAt, createdAt, updatedAt };
}

/** The keys of a new server, oldest first. */
export const DEFAULT_KEYS: readonly Pick<StoredKey, 'name' | 'description' | 'actions'>[] = [
  {
    name: 'Default Chat API Key',
    description: 'Use it to chat and search from the frontend',
    actions: ['chatCompletions', 'search'],
  },
  {
    name: 'Default Read-Only Admin API Key',
    description:
      'Use it to read information across the whole database. Caution! Do not expose this key on a public frontend',
    actions: ['*.get', 'keys.get'],
  },
  {
    name: 'Default Admin API Key',
    description:
      'Use it for anything that is not a search operation. Caution! Do not expose it on a public frontend',
    actions: ['*'],
  },
  {
    name: 'Default Search API Key',
    description: 'Use it to search from the frontend',
    actions: ['search'],
  },
];
