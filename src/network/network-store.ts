import type { Records } from '../records/records.js';
import { WriteOrder } from '../records/write-order.js';
import { mergeNetwork } from './merge-network.js';
import { type Network, NO_NETWORK } from './network.js';
import type { NetworkChange } from './network-request.js';
import { newVersion } from './network-version.js';

const NAMESPACE = 'network';
const KEY = 'current';

/** What a network needs of the records: it is never removed. */
export type NetworkRecords = Pick<Records, 'records' | 'putRecord'>;

/**
 * The network that this server is part of: in memory, and on disk before a change is answered.
 * Changes are made one after another. Which remotes do not answer is known in memory only.
 */
export class NetworkStore {
  readonly #records: NetworkRecords;
  readonly #unavailable = new Set<string>();
  #current: Network;
  readonly #changes = new WriteOrder();

  constructor(records: NetworkRecords, current: Network = NO_NETWORK) {
    this.#records = records;
    this.#current = current;
  }

  /** Reads the network from the records. */
  static async load(records: NetworkRecords): Promise<NetworkStore> {
    const found = new Map(await records.records(NAMESPACE)).get(KEY) as Network | undefined;
    return new NetworkStore(records, found);
  }

  /** The network as it stands. */
  get current(): Network {
    return this.#current;
  }

  /** Changes the network; resolves with the whole of it once it is on disk. */
  change(change: NetworkChange): Promise<Network> {
    return this.#changes.inTurn(() => this.#put(mergeNetwork(this.#current, change, newVersion())));
  }

  /** Replaces the network, as a dump does. */
  replace(network: Network): Promise<Network> {
    return this.#changes.inTurn(() => this.#put(network));
  }

  /** Whether a remote answered when it was last asked; those never asked count as available. */
  isAvailable(remote: string): boolean {
    return !this.#unavailable.has(remote);
  }

  /** Remembers whether a remote answered. */
  setAvailable(remote: string, available: boolean): void {
    if (available || !Object.hasOwn(this.#current.remotes, remote))
      this.#unavailable.delete(remote);
    else this.#unavailable.add(remote);
  }

  async #put(network: Network): Promise<Network> {
    await this.#records.putRecord(NAMESPACE, KEY, network);
    this.#current = network;
    for (const name of this.#unavailable) this.setAvailable(name, false);
    return network;
  }
}
