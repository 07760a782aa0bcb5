import { randomUUID } from 'node:crypto';
import { Changes } from '../records/changes.js';
import type { Records } from '../records/records.js';
import { WriteOrder } from '../records/write-order.js';
import { DEFAULT_KEYS, type KeyChange, type NewKey, type StoredKey } from './api-key.js';

const NAMESPACE = 'keys';

/** A key as it stands after a change of it; `undefined` once it is gone. */
export interface ChangedKey {
  readonly uid: string;
  readonly key: StoredKey | undefined;
}

/**
 * The API keys, without their secrets: all in memory, and on disk before a change is answered.
 * Changes are made one after another.
 */
export class KeyStore {
  /** Told of before who asked for them hears that they are made. */
  readonly changes = new Changes<ChangedKey>();
  readonly #records: Records;
  /** By uid, oldest first. */
  readonly #keys: Map<string, StoredKey>;
  readonly #writes = new WriteOrder();

  constructor(records: Records, keys: readonly StoredKey[] = []) {
    this.#records = records;
    const oldestFirst = keys.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
    this.#keys = new Map(oldestFirst.map((key) => [key.uid, key]));
  }

  /** Reads the keys; where there are none, makes those that every new server has. */
  static async load(records: Records): Promise<KeyStore> {
    const found = await records.records(NAMESPACE);
    const store = new KeyStore(
      records,
      found.map(([, key]) => key as StoredKey),
    );
    if (found.length === 0) await store.#createDefaults();
    return store;
  }

  /** Every key, oldest first. */
  all(): readonly StoredKey[] {
    return [...this.#keys.values()];
  }

  get(uid: string): StoredKey | undefined {
    return this.#keys.get(uid);
  }

  /** Adds a key; `undefined` when its uid is taken. */
  create(key: NewKey): Promise<StoredKey | undefined> {
    return this.#writes.inTurn(async () => {
      if (this.#keys.has(key.uid)) return undefined;
      const [createdAt] = this.#nextDates(1);
      return this.#put({ ...key, createdAt, updatedAt: createdAt });
    });
  }

  /** Changes a key and renews its date of change; `undefined` when there is no such key. */
  update(uid: string, { name, description }: KeyChange): Promise<StoredKey | undefined> {
    return this.#writes.inTurn(async () => {
      const key = this.#keys.get(uid);
      if (key === undefined) return undefined;
      return this.#put({
        ...key,
        name: name === undefined ? key.name : name,
        description: description === undefined ? key.description : description,
        updatedAt: dateAfter(key.updatedAt),
      });
    });
  }

  /** Removes a key; false when there is no such key. */
  delete(uid: string): Promise<boolean> {
    return this.#writes.inTurn(async () => {
      if (!this.#keys.has(uid)) return false;
      await this.#records.deleteRecord(NAMESPACE, uid);
      this.#keys.delete(uid);
      this.changes.tell({ uid, key: undefined });
      return true;
    });
  }

  async #createDefaults(): Promise<void> {
    const dates = this.#nextDates(DEFAULT_KEYS.length);
    const keys = DEFAULT_KEYS.map((key, at) => ({
      ...key,
      uid: randomUUID() as string,
      indexes: ['*'],
      expiresAt: null,
      createdAt: dates[at] as string,
      updatedAt: dates[at] as string,
    }));
    // All or none: a start that finds some of them makes no more.
    const records = keys.map((key) => [key.uid, key] as const);
    await this.#records.putRecords(NAMESPACE, records);
    for (const key of keys) this.#keys.set(key.uid, key);
  }

  async #put(key: StoredKey): Promise<StoredKey> {
    await this.#records.putRecord(NAMESPACE, key.uid, key);
    this.#keys.set(key.uid, key);
    this.changes.tell({ uid: key.uid, key });
    return key;
  }

  /** Dates of creation that differ from each other and from all before, so that they tell the order. */
  #nextDates(count: number): [string, ...string[]] {
    const newest = [...this.#keys.values()].at(-1)?.createdAt;
    const dates: [string, ...string[]] = [dateAfter(newest)];
    while (dates.length < count) dates.push(dateAfter(dates.at(-1)));
    return dates;
  }
}

/** The present moment, or the first millisecond after a date that is not over yet. */
function dateAfter(earlier: string | undefined): string {
  const after = earlier === undefined ? 0 : Math.floor(Date.parse(earlier)) + 1;
  const text = new Date(Math.max(Date.now(), after)).toISOString();
  return text.replace(/\.?0*Z$/, 'Z');
}
