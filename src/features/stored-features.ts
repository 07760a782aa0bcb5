import type { Store } from '../native/store.js';
import { FEATURE_NAMES, type Feature } from './feature.js';

const NAMESPACE = 'features';

/** What features need of the store: durable JSON values by namespace and key. */
type Records = Pick<Store, 'records' | 'putRecord'>;

/**
 * Which experimental features are on; kept in the store across restarts. Those forced at launch
 * are on until they are switched, and on again at the next launch with the same options.
 */
export class StoredFeatures {
  readonly #store: Records;
  readonly #enabled = new Map<string, boolean>(FEATURE_NAMES.map((name) => [name, false]));

  private constructor(store: Records) {
    this.#store = store;
  }

  /** Reads the switches from the store. */
  static async load(store: Records, forced: readonly Feature[] = []): Promise<StoredFeatures> {
    const features = new StoredFeatures(store);
    for (const [name, enabled] of await store.records(NAMESPACE)) {
      if (features.#enabled.has(name)) features.#enabled.set(name, enabled === true);
    }
    for (const name of forced) features.#enabled.set(name, true);
    return features;
  }

  /** Every feature, in the order of the wire. */
  all(): Readonly<Record<string, boolean>> {
    return Object.fromEntries(this.#enabled);
  }

  /** Whether one feature is on. */
  isOn(feature: Feature): boolean {
    return this.#enabled.get(feature) === true;
  }

  /** Switches features; resolves once it is on disk. */
  async set(changes: Readonly<Record<string, boolean>>): Promise<void> {
    for (const [name, enabled] of Object.entries(changes)) {
      await this.#store.putRecord(NAMESPACE, name, enabled);
      this.#enabled.set(name, enabled);
    }
  }
}
