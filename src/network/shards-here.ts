import type { Network } from './network.js';

/**
 * The shards of the network by name, and whether this server holds them; `undefined` when the
 * network is not divided.
 */
export function shardsHere({ self, shards }: Network): Record<string, boolean> | undefined {
  const named = Object.entries(shards);
  if (named.length === 0) return undefined;
  const isHere = (remotes: readonly string[]) => self !== null && remotes.includes(self);
  return Object.fromEntries(named.map(([name, { remotes }]) => [name, isHere(remotes)]));
}
