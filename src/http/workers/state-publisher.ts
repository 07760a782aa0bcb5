import type { MessagePort } from 'node:worker_threads';
import type { KeyStore } from '../../auth/key-store.js';
import type { StoredFeatures } from '../../features/stored-features.js';
import type { IndexRegistry } from '../../indexes/index-registry.js';
import type { Logs } from '../../logs/logs.js';
import type { StateChange } from './messages.js';
import type { SharedCounts } from './shared-counts.js';

/** What the primary knows that loops answer with. */
export interface PublishedState {
  readonly keys: KeyStore;
  readonly features: Pick<StoredFeatures, 'all' | 'changes'>;
  readonly indexes: Pick<IndexRegistry, 'places' | 'changes'>;
  readonly logs: Logs;
}

/**
 * Sends the state and each change of it to the loops, in the moment of the change: it is in their
 * ports, and counted, before anyone is told that it was made. A loop that compares the count with
 * what it has taken from its port knows whether it knows everything.
 */
export class StatePublisher {
  readonly #ports: readonly MessagePort[];
  readonly #counts: SharedCounts;

  constructor(ports: readonly MessagePort[], counts: SharedCounts, state: PublishedState) {
    this.#ports = ports;
    this.#counts = counts;
    const { keys, features, indexes, logs } = state;
    this.#send({ kind: 'keys', changed: keys.all().map((key) => ({ uid: key.uid, key })) });
    keys.changes.follow((changed) => this.#send({ kind: 'keys', changed: [changed] }));
    this.#send({ kind: 'features', on: features.all() });
    features.changes.follow((on) => this.#send({ kind: 'features', on }));
    this.#send({ kind: 'indexes', places: indexes.places() });
    indexes.changes.follow((places) => this.#send({ kind: 'indexes', places }));
    this.#send({ kind: 'logLevel', level: logs.level });
    logs.levels.follow((level) => this.#send({ kind: 'logLevel', level }));
  }

  #send(change: StateChange): void {
    for (const port of this.#ports) port.postMessage(change);
    this.#counts.addChange();
  }
}
