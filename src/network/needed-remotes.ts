import type { Network } from './network.js';

/** What is known of the servers that were asked. */
export interface Asked {
  /** Whether a server answered when it was last asked, by whomever. */
  isAvailable(remote: string): boolean;
  /** Servers that answered this time. */
  readonly answered: ReadonlySet<string>;
  /** Servers that did not answer this time. */
  readonly failed: ReadonlySet<string>;
}

/**
 * The other servers that are to be asked for what neither this one nor those that answered hold:
 * all of them, or where the network is divided into shards, one of each such shard. Of several, the
 * first one that was available is taken, and none that failed.
 */
export function neededRemotes({ self, remotes, shards }: Network, asked: Asked): string[] {
  const { answered, failed } = asked;
  const isLeft = (name: string) => name !== self && Object.hasOwn(remotes, name);
  const others = Object.keys(remotes).filter(isLeft);
  const divided = Object.values(shards);
  if (divided.length === 0)
    return others.filter((name) => !answered.has(name) && !failed.has(name));
  const holders = new Set(answered);
  const needed: string[] = [];
  for (const shard of divided) {
    if (self !== null && shard.remotes.includes(self)) continue;
    if (shard.remotes.some((name) => holders.has(name))) continue;
    const left = shard.remotes.filter((name) => isLeft(name) && !failed.has(name));
    const chosen = left.find((name) => asked.isAvailable(name)) ?? left[0];
    if (chosen === undefined) continue;
    holders.add(chosen);
    needed.push(chosen);
  }
  return needed;
}
