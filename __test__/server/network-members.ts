import { newFolder, type Server, start } from './servers.js';
import { ask, MASTER_KEY, write } from './talk.js';

/** A server of a network, with an index of notes. */
export async function startMember(notes: readonly object[]): Promise<Server> {
  const server = await start(await newFolder(), '--experimental-allowed-ip-networks', 'any');
  await ask(`${server.url}/experimental-features`, 'PATCH', { network: true });
  await write(server.url, 'PATCH', '/indexes/notes/settings', {
    filterableAttributes: ['kind', 'id'],
  });
  await write(server.url, 'POST', '/indexes/notes/documents', notes);
  return server;
}

/** Tells every server of all others, and which of them hold which shard. */
export async function joined(
  servers: Readonly<Record<string, Server>>,
  shards: Readonly<Record<string, readonly string[]>> = {},
): Promise<void> {
  const named = Object.entries(servers);
  const keys = { searchApiKey: MASTER_KEY, writeApiKey: MASTER_KEY };
  const remotes = Object.fromEntries(named.map(([name, { url }]) => [name, { url, ...keys }]));
  const held = Object.entries(shards).map(([name, holders]) => [name, { remotes: holders }]);
  for (const [self, { url }] of named) {
    await ask(`${url}/network`, 'PATCH', { self, remotes, shards: Object.fromEntries(held) });
  }
}
