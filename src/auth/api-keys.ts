import { ApiError } from '../errors/api-error.js';
import { readUuid } from '../validation/uuid.js';
import { validated } from '../validation/validated.js';
import type { Access } from './access.js';
import { type Action, grantedActions, isGlobalAction, type KeyAction } from './actions.js';
import {
  type ApiKey,
  type KeyChange,
  type KeyCreation,
  type StoredKey,
  shownKey,
} from './api-key.js';
import { readExpiryDate } from './expiry-date.js';
import type { KeyStore } from './key-store.js';
import { keyChangeSchema, newKeyOf, newKeySchema } from './new-key.js';
import { deriveKey, digestOf } from './secret.js';

/** A key that is ready to be asked: nothing about it is read or derived again. @internal */
export interface ReadyKey {
  readonly stored: StoredKey;
  readonly secret: string;
  readonly granted: ReadonlySet<Action>;
  readonly access: Access;
  /** Milliseconds of the epoch from which the key is refused. */
  readonly endsAt: number;
}

/** The API keys under a master key: their secrets, what they allow, and changes of them. */
export class ApiKeys {
  readonly #masterKey: string;
  readonly #store: KeyStore;
  readonly #byUid = new Map<string, ReadyKey>();
  /** By the digest of the secret. */
  readonly #byDigest = new Map<string, ReadyKey>();

  /** @internal */
  constructor(masterKey: string, store: KeyStore) {
    this.#masterKey = masterKey;
    this.#store = store;
    for (const key of store.all()) this.learn(key);
  }

  /** A page of the keys, newest first, and how many there are. */
  list(offset = 0, limit = 20): { results: ApiKey[]; total: number } {
    const newestFirst = this.#store.all().toReversed();
    const page = newestFirst.slice(offset, offset + limit);
    return { results: page.map((key) => this.#shown(key)), total: newestFirst.length };
  }

  /** The key of a uid or of a secret; throws `api_key_not_found`. */
  get(uidOrSecret: string): ApiKey {
    return this.#shown(this.#require(uidOrSecret));
  }

  /** Makes a key; throws when its uid is taken or its actions do not go with its indexes. */
  async create(asked: KeyCreation): Promise<ApiKey> {
    const key = newKeyOf(validated(newKeySchema, asked));
    refuseGlobalActions(key.actions, key.indexes);
    const stored = await this.#store.create(key);
    if (stored === undefined) {
      throw new ApiError(
        'api_key_already_exists',
        `\`uid\` field value \`${key.uid}\` is already an existing API key.`,
      );
    }
    return this.#shown(this.learn(stored).stored);
  }

  /** Changes the texts of a key; throws `api_key_not_found`. */
  async update(uidOrSecret: string, change: KeyChange): Promise<ApiKey> {
    const texts = validated(keyChangeSchema, change);
    const stored = await this.#store.update(this.#require(uidOrSecret).uid, texts);
    if (stored === undefined) throw keyNotFound(uidOrSecret);
    return this.#shown(this.learn(stored).stored);
  }

  /** Removes a key, and with it every tenant token of it; throws `api_key_not_found`. */
  async delete(uidOrSecret: string): Promise<void> {
    const { uid } = this.#require(uidOrSecret);
    if (!(await this.#store.delete(uid))) throw keyNotFound(uidOrSecret);
    this.forget(uid);
  }

  /** Takes a key as it stands after a change, from here on. @internal */
  learn(stored: StoredKey): ReadyKey {
    const key = readyKey(stored, deriveKey(this.#masterKey, stored.uid));
    this.#byUid.set(stored.uid, key);
    this.#byDigest.set(digestOf(key.secret), key);
    return key;
  }

  /** Knows a key no more: it was removed. @internal */
  forget(uid: string): void {
    const key = this.#byUid.get(uid);
    this.#byUid.delete(uid);
    if (key !== undefined) this.#byDigest.delete(digestOf(key.secret));
  }

  /** The key of a uid in its hyphenated lower-case form. @internal */
  byUid(uid: string): ReadyKey | undefined {
    return this.#byUid.get(uid);
  }

  /** The key whose secret has a digest. @internal */
  byDigest(digest: string): ReadyKey | undefined {
    return this.#byDigest.get(digest);
  }

  /** The secret that the key of a uid has, whether there is such a key or not. @internal */
  secretOf(uid: string): string {
    return this.#byUid.get(uid)?.secret ?? deriveKey(this.#masterKey, uid);
  }

  #require(uidOrSecret: string): StoredKey {
    const read = readUuid(uidOrSecret);
    const key = 'uuid' in read ? this.#byUid.get(read.uuid) : this.byDigest(digestOf(uidOrSecret));
    if (key === undefined) throw keyNotFound('uuid' in read ? read.uuid : uidOrSecret);
    return key.stored;
  }

  #shown(stored: StoredKey): ApiKey {
    return shownKey(stored, this.secretOf(stored.uid));
  }
}

function readyKey(stored: StoredKey, secret: string): ReadyKey {
  const { actions, indexes, expiresAt } = stored;
  const all = seesAll(indexes);
  const granted = grantedActions(actions, all ? 'all indexes' : 'some indexes');
  const end = expiresAt === null ? undefined : readExpiryDate(expiresAt);
  return {
    stored,
    secret,
    granted,
    access: {
      visibleIndexes: all ? undefined : indexes,
      mayCreateIndexes: granted.has('indexes.create'),
    },
    // A stored date that cannot be read must not keep a key alive.
    endsAt: expiresAt === null ? Number.POSITIVE_INFINITY : (end?.epochMs ?? 0),
  };
}

const seesAll = (indexes: readonly string[]): boolean => indexes.includes('*');

function refuseGlobalActions(actions: readonly KeyAction[], indexes: readonly string[]): void {
  const global = seesAll(indexes) ? undefined : actions.find(isGlobalAction);
  if (global === undefined) return;
  throw new ApiError(
    'index_scoped_api_key_with_global_action',
    `cannot create index-scoped API key with global action \`"${global}"\`\n  - Hint: remove action \`"${global}"\` from the action list, or remove \`indexes\` to make the key global`,
  );
}

function keyNotFound(uidOrSecret: string): ApiError {
  return new ApiError('api_key_not_found', `API key \`${uidOrSecret}\` not found.`);
}
