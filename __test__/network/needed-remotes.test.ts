import { describe, expect, test } from 'vitest';
import { type Asked, neededRemotes } from '../../src/network/needed-remotes.js';
import { type Network, NO_NETWORK } from '../../src/network/network.js';

const remote = { url: 'http://x', searchApiKey: null, writeApiKey: null };

function network(shards: Readonly<Record<string, readonly string[]>>): Network {
  const named = Object.entries(shards).map(([name, remotes]) => [name, { remotes }]);
  const remotes = { a: remote, b: remote, c: remote, d: remote };
  return { ...NO_NETWORK, self: 'a', remotes, shards: Object.fromEntries(named) };
}

const asked = (
  parts: Partial<Record<'answered' | 'failed' | 'away', readonly string[]>>,
): Asked => ({
  isAvailable: (name) => parts.away?.includes(name) !== true,
  answered: new Set(parts.answered),
  failed: new Set(parts.failed),
});

describe('the servers that are asked', () => {
  test('are all others where the network is not divided, each once', () => {
    expect(neededRemotes(network({}), asked({}))).toEqual(['b', 'c', 'd']);
    const later = asked({ answered: ['b'], failed: ['c', 'd'] });
    expect(neededRemotes(network({}), later)).toEqual([]);
  });

  test('are one of each shard that is not here', () => {
    const divided = network({ north: ['a', 'b'], south: ['c', 'd'], west: ['d', 'c'] });
    expect(neededRemotes(divided, asked({}))).toEqual(['c']);
    expect(neededRemotes(network({ east: ['gone'] }), asked({}))).toEqual([]);
  });

  test('are others of the shard when one failed, and none when all did', () => {
    const divided = network({ south: ['b', 'c'], west: ['b', 'd'] });
    expect(neededRemotes(divided, asked({ failed: ['b'] }))).toEqual(['c', 'd']);
    expect(neededRemotes(divided, asked({ failed: ['b'], answered: ['c'] }))).toEqual(['d']);
    expect(neededRemotes(divided, asked({ failed: ['b', 'c', 'd'] }))).toEqual([]);
  });

  test('are those that answered last time before those that did not', () => {
    const divided = network({ south: ['b', 'c'] });
    expect(neededRemotes(divided, asked({ away: ['b'] }))).toEqual(['c']);
    expect(neededRemotes(divided, asked({ away: ['b', 'c'] }))).toEqual(['b']);
  });
});
