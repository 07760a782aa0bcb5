import { Changes } from '../records/changes.js';
import type { Records } from '../records/records.js';
import { validated } from '../validation/validated.js';
import { FEATURE_NAMES, type Feature, type FeatureSwitches } from './feature.js';
import { featureSwitchesSchema } from './feature-switches.js';

const NAMESPACE = 'features';

/** What features need of the records: a switch is never removed. @internal */
type SwitchRecords = Pick<Records, 'records' | 'putRecords'>;

/**
 * Which experimental features are on; kept in the store across restarts. Those forced at launch
 * are on until they are switched, and on again at the next launch with the same options.
 */
export class StoredFeatures {
  /** All features after each switch, told of before who switched hears that it is done. @internal */
  readonly changes = new Changes<Readonly<Record<string, boolean>>>();
  readonly #records: SwitchRecords;
  readonly #enabled = new Map<string, boolean>(FEATURE_NAMES.map((name) => [name, false]));
  /** All of them, once asked for; made anew after a change. */
  #all: Readonly<Record<Feature, boolean>> | undefined;

  private constructor(records: SwitchRecords) {
    this.#records = records;
  }

  /** Reads the switches from the store. @internal */
  static async load(
    records: SwitchRecords,
    forced: readonly Feature[] = [],
  ): Promise<StoredFeatures> {
    const features = new StoredFeatures(records);
    for (const [name, enabled] of await records.records(NAMESPACE)) {
      if (features.#enabled.has(name)) features.#enabled.set(name, enabled === true);
    }
    for (const name of forced) features.#enabled.set(name, true);
    return features;
  }

  /** Every feature, in the order of the wire: the same object until one of them is switched. */
  all(): Readonly<Record<Feature, boolean>> {
    this.#all ??= Object.freeze(Object.fromEntries(this.#enabled) as Record<Feature, boolean>);
    return this.#all;
  }

  /** Whether one feature is on. */
  isOn(feature: Feature): boolean {
    return this.#enabled.get(feature) === true;
  }

  /** Switches features, all of them or none; resolves once it is on disk. Throws `bad_request` for what is no feature. */
  async set(switches: FeatureSwitches): Promise<void> {
    const switched = Object.entries(validated(featureSwitchesSchema, switches)).flatMap(
      ([name, enabled]) => (enabled == null ? [] : [[name, enabled] as const]),
    );
    if (switched.length === 0) return;
    await this.#records.putRecords(NAMESPACE, switched);
    for (const [name, enabled] of switched) this.#enabled.set(name, enabled);
    this.#all = undefined;
    this.changes.tell(this.all());
  }
}
