import { type Asked, neededRemotes } from '../network/needed-remotes.js';
import type { NetworkStore } from '../network/network-store.js';

/** Nothing was asked of any server yet. */
export function nothingAsked(network: NetworkStore): Asked {
  return {
    isAvailable: (remote) => network.isAvailable(remote),
    answered: new Set(),
    failed: new Set(),
  };
}

/**
 * Asks servers side by side, then others that hold the shards of those that failed, until every
 * shard has answered or none is left to be asked. `ask` tells whether a server answered.
 */
export async function askServers(
  network: NetworkStore,
  first: readonly string[],
  ask: (remote: string) => Promise<boolean>,
): Promise<void> {
  const answered = new Set<string>();
  const failed = new Set<string>();
  const asked = { ...nothingAsked(network), answered, failed };
  for (let next = first; next.length > 0; next = neededRemotes(network.current, asked)) {
    const isDone = await Promise.all(next.map(ask));
    next.forEach((remote, at) => {
      (isDone[at] === true ? answered : failed).add(remote);
    });
  }
}
