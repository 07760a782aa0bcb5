import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { ApiKeys } from '../../auth/api-keys.js';
import { KeyStore } from '../../auth/key-store.js';
import type { Feature } from '../../features/feature.js';
import type { LogLevel } from '../../logs/log-target.js';
import type { StateChange } from './messages.js';
import { NO_RECORDS } from './no-records.js';
import type { SharedCounts } from './shared-counts.js';

/** Features whose searches need more than a loop knows: the primary answers them. */
const OF_THE_PRIMARY: readonly Feature[] = ['network', 'dynamicSearchRules'];

/** Who is told of changes that it has to act on. */
export interface StateListeners {
  /** Uids may stand for other indexes now; these are the folders of all that there are. */
  readonly moved: (folders: ReadonlySet<string>) => void;
  readonly logLevel: (level: LogLevel) => void;
}

/** What a loop knows of the state of the primary, as far as it has taken the changes from its port. */
export class FollowedState {
  readonly keys: ApiKeys | undefined;
  readonly #port: MessagePort;
  readonly #counts: SharedCounts;
  readonly #listeners: StateListeners;
  readonly #folders = new Map<string, string>();
  #features: Readonly<Record<string, boolean>> = {};
  #needsPrimary = true;
  #taken = 0;

  constructor(
    port: MessagePort,
    counts: SharedCounts,
    masterKey: string | undefined,
    listeners: StateListeners,
  ) {
    this.#port = port;
    this.#counts = counts;
    this.#listeners = listeners;
    this.keys =
      masterKey === undefined ? undefined : new ApiKeys(masterKey, new KeyStore(NO_RECORDS));
    // Also while there are no requests: indexes that are gone shall not stay open.
    port.on('message', (change: StateChange) => this.#take(change));
  }

  /** Takes the changes that have been made until now; false where some are not to be had. */
  catchUp(): boolean {
    while (this.#taken !== this.#counts.changes) {
      const next = receiveMessageOnPort(this.#port);
      if (next === undefined) return false;
      this.#take(next.message);
    }
    return true;
  }

  /** Whether the features leave searches to the loops. */
  get answersSearches(): boolean {
    return !this.#needsPrimary;
  }

  /** The features of requests that are answered here: those of the primary are never on. */
  get features(): Readonly<Record<string, boolean>> {
    return this.#features;
  }

  /** The folder of the index of a uid. */
  folderOf(uid: string): string | undefined {
    return this.#folders.get(uid);
  }

  #take(change: StateChange): void {
    this.#taken += 1;
    switch (change.kind) {
      case 'keys':
        for (const { uid, key } of change.changed) {
          if (key === undefined) this.keys?.forget(uid);
          else this.keys?.learn(key);
        }
        return;
      case 'features':
        this.#needsPrimary = OF_THE_PRIMARY.some((name) => change.on[name] === true);
        // A switch while a request is answered: it came before that, and is answered as then.
        this.#features = Object.freeze({
          ...change.on,
          ...Object.fromEntries(OF_THE_PRIMARY.map((name) => [name, false])),
        });
        return;
      case 'indexes':
        for (const { uid, folder } of change.places) {
          if (folder === undefined) this.#folders.delete(uid);
          else this.#folders.set(uid, folder);
        }
        this.#listeners.moved(new Set(this.#folders.values()));
        return;
      case 'logLevel':
        this.#listeners.logLevel(change.level);
    }
  }
}
