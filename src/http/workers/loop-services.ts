import { UsageCounters } from '../../metrics/usage-counters.js';
import { searchTogether } from '../../native/engine.js';
import { NetworkStore } from '../../network/network-store.js';
import { RemoteSearcher } from '../../network/remote-searcher.js';
import type { ReadServices } from '../services.js';
import type { FollowedState } from './followed-state.js';
import type { LoopIndexes } from './loop-indexes.js';
import { NO_RECORDS } from './no-records.js';
import type { PrimaryCalls } from './primary-calls.js';

/** What the routes of a loop read from; what it has not, it asks the primary for. */
export function loopServices(
  state: FollowedState,
  indexes: LoopIndexes,
  calls: PrimaryCalls,
  { personalization }: { readonly personalization: boolean },
): ReadServices {
  const network = new NetworkStore(NO_RECORDS);
  return {
    indexes: {
      reader: async (uid) => {
        const folder = state.folderOf(uid);
        return folder === undefined ? undefined : indexes.reader(uid, folder);
      },
      openFolder: async (uid) => {
        const folder = state.folderOf(uid);
        if (folder !== undefined) await indexes.index(uid, folder);
        return folder;
      },
      federatedSearch: async (uids, request, rules, stop) => {
        const found = uids.map((uid) => ({ uid, folder: state.folderOf(uid) }));
        const opening = found.flatMap(({ uid, folder }) =>
          folder === undefined ? [] : { uid, index: indexes.index(uid, folder) },
        );
        const named = opening.map(async ({ uid, index }) => ({ uid, index: await index }));
        return searchTogether(await Promise.all(named), request, rules, stop);
      },
    },
    features: { all: () => state.features, isOn: (feature) => state.features[feature] === true },
    network,
    remotes: new RemoteSearcher(network),
    rules: { applied: () => undefined },
    usage: new UsageCounters(),
    queryEmbedder: {
      embed: ({ signal, ...query }) => calls.call('embed', [query], signal),
    },
    personalizer: personalization ? personalizerOf(calls) : undefined,
  };
}

function personalizerOf(calls: PrimaryCalls): NonNullable<ReadServices['personalizer']> {
  return {
    personalize: async (answer, taste) => {
      const ordered = await calls.call('personalize', [answer, taste]);
      return Buffer.from(ordered.buffer, ordered.byteOffset, ordered.byteLength);
    },
  };
}
