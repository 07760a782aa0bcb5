import type { Store } from '../native/store.js';
import { FEATURE_NAMES } from './feature.js';

const NAMESPACE = 'features';

/** Which experimental features are on; kept in the store across restarts. */
export class StoredFeatures {
  readonly #store: Store;
  readonly #enabled = new Map<string, boolean>(FEATURE_NAMES.map((name) => [name, false]));

  private constructor(store: Store) {
    this.#store = store;
  }

  /** Reads the switches from the store. */
  static async load(store: Store): Promise<StoredFeatures> {
    const features = new StoredFeatures(store);
    for (const [name, enabled] of await store.records(NAMESPACE)) {
      if (features.#enabled.has(name)) features.#enabled.set(name, enabled === true);
    }
    return features;
  }

  /** Every feature, in the order of the wire. */
  all(): Readonly<Record<string, boolean>> {
    return Object.fromEntries(this.#enabled);
  }

  /** Switches features; resolves once it is on disk. */
  async set(changes: Readonly<Record<string, boolean>>): Promise<void> {
    for (const [name, enabled] of Object.entries(changes)) {
      await this.#store.putRecord(NAMESPACE, name, enabled);
      this.#enabled.set(name, enabled);
    }
  }
}
