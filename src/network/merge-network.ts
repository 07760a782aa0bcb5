import { PRODUCT_NAME } from '../config/product.js';
import { ApiError } from '../errors/api-error.js';
import { urlProblem } from '../validation/absolute-url.js';
import type { Network, Remote, Shard } from './network.js';
import type { NetworkChange } from './network-request.js';

/** A network after a change, under a new version; throws what is wrong with the change. */
export function mergeNetwork(network: Network, change: NetworkChange, version: string): Network {
  refuseReserved(change);
  const remotes = mergeRemotes(network.remotes, change.remotes);
  const removed = Object.keys(network.remotes).filter((name) => !Object.hasOwn(remotes, name));
  return {
    self: change.self === undefined ? network.self : change.self,
    remotes,
    shards: mergeShards(network.shards, change.shards, new Set(removed)),
    leader: null,
    version,
  };
}

function refuseReserved({ previousRemotes, previousShards, leader }: NetworkChange): void {
  const reserved = previousRemotes != null ? 'previousRemotes' : 'previousShards';
  if (previousRemotes != null || previousShards != null) {
    throw new ApiError(
      'unexpected_network_previous_remotes',
      `Unexpected \`${reserved}\` in network call.\n  - Note: \`${reserved.slice(0, -1)}\` is reserved for internal use.`,
    );
  }
  if (leader != null) throw enterpriseOnly('set `network.leader`');
}

/** The refusal of what networks with a leader would need. */
export function enterpriseOnly(what: string): ApiError {
  return new ApiError(
    'requires_enterprise_edition',
    `${PRODUCT_NAME} Enterprise Edition is required to ${what}`,
  );
}

function mergeRemotes(
  known: Network['remotes'],
  change: NetworkChange['remotes'],
): Record<string, Remote> {
  if (change === undefined) return { ...known };
  const merged = new Map(change === null ? [] : Object.entries(known));
  for (const [name, fields] of Object.entries(change ?? {})) {
    if (fields === null) merged.delete(name);
    else merged.set(name, mergeRemote(name, merged.get(name), fields));
  }
  return Object.fromEntries([...merged].sort(byName));
}

type RemoteChange = NonNullable<NonNullable<NetworkChange['remotes']>[string]>;

function mergeRemote(name: string, known: Remote | undefined, change: RemoteChange): Remote {
  const { searchApiKey, writeApiKey } = change;
  return {
    url: checkedUrl(name, change.url, known),
    searchApiKey: searchApiKey === undefined ? (known?.searchApiKey ?? null) : searchApiKey,
    writeApiKey: writeApiKey === undefined ? (known?.writeApiKey ?? null) : writeApiKey,
  };
}

function checkedUrl(
  name: string,
  url: string | null | undefined,
  known: Remote | undefined,
): string {
  const field = `.remotes.${name}.url`;
  if (url === null) {
    throw new ApiError('invalid_network_url', `Field \`${field}\` cannot be set to \`null\``);
  }
  if (url === undefined) {
    if (known !== undefined) return known.url;
    throw new ApiError('missing_network_url', `Missing field \`${field}\``);
  }
  const problem = urlProblem(url);
  if (problem === undefined) return url;
  throw new ApiError('invalid_network_url', `Invalid \`${field}\` (\`${url}\`): ${problem}`);
}

function mergeShards(
  known: Network['shards'],
  change: NetworkChange['shards'],
  removedRemotes: ReadonlySet<string>,
): Record<string, Shard> {
  const merged = new Map(change === null ? [] : Object.entries(known));
  for (const [name, shard] of merged) {
    merged.set(name, { remotes: shard.remotes.filter((remote) => !removedRemotes.has(remote)) });
  }
  for (const [name, fields] of Object.entries(change ?? {})) {
    if (fields === null) merged.delete(name);
    else merged.set(name, { remotes: shardRemotes(merged.get(name), fields) });
  }
  return Object.fromEntries(
    [...merged].filter(([, { remotes }]) => remotes.length > 0).sort(byName),
  );
}

type ShardChange = NonNullable<NonNullable<NetworkChange['shards']>[string]>;

function shardRemotes(known: Shard | undefined, change: ShardChange): string[] {
  const all = change.remotes === undefined ? (known?.remotes ?? []) : (change.remotes ?? []);
  const removed = new Set(change.removeRemotes ?? []);
  const names = new Set([...all, ...(change.addRemotes ?? [])]);
  return [...names].filter((name) => !removed.has(name)).sort();
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);
