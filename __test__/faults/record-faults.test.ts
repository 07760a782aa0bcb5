import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer } from '../../scripts/server-process.mjs';
import { ask, MASTER_KEY } from '../server/talk.js';
import { CAN_FAIL, FailingCalls } from './failing-calls.js';
import { temporaryFolder } from './temporary-folder.js';

const MINUTE_MS = 60_000;
const KEY = '6062abda-a5aa-4414-ac91-ecd7944c0f8d';

/** What is shown of a record. */
type Shown = Readonly<Record<string, unknown>>;

/** What is kept as a record, how it is changed, and where it is shown. */
interface Kept {
  readonly name: string;
  readonly shown: () => [method: string, path: string];
  readonly change: (round: number, now: Shown) => [method: string, path: string, body: unknown];
}

const KINDS: readonly Kept[] = [
  {
    name: 'a new API key',
    shown: () => ['GET', '/keys?limit=100'],
    change: (round) => [
      'POST',
      '/keys',
      { name: `key ${round}`, actions: ['search'], indexes: ['*'], expiresAt: null },
    ],
  },
  {
    name: 'a changed API key',
    shown: () => ['GET', `/keys/${KEY}`],
    change: (round) => ['PATCH', `/keys/${KEY}`, { description: `round ${round}` }],
  },
  {
    name: 'the experimental features',
    shown: () => ['GET', '/experimental-features'],
    change: (_, { metrics }) => ['PATCH', '/experimental-features', { metrics: !metrics }],
  },
  {
    name: 'the network',
    shown: () => ['GET', '/network'],
    change: (round) => [
      'PATCH',
      '/network',
      { remotes: { other: { url: `http://203.0.113.1:${1000 + round}` } } },
    ],
  },
  {
    name: 'the settings of a workspace of chats',
    shown: () => ['GET', '/chats/help/settings'],
    change: (round) => ['PATCH', '/chats/help/settings', { source: 'openAi', orgId: `o${round}` }],
  },
  {
    name: 'a webhook',
    shown: () => ['GET', '/webhooks'],
    change: (round) => ['POST', '/webhooks', { url: `http://203.0.113.1/${round}` }],
  },
];

const STATUS = 422;
const FAULTS = [
  { error: 'ENOSPC', call: 'write', code: 'no_space_left_on_device' },
  { error: 'EIO', call: 'write', code: 'io_error' },
  // SQLite tells a full disk from a broken one where it writes, not where it syncs.
  { error: 'ENOSPC', call: 'sync', code: 'io_error' },
  { error: 'EIO', call: 'sync', code: 'io_error' },
] as const;

describe.runIf(CAN_FAIL)('a record that cannot be written', { timeout: 2 * MINUTE_MS }, () => {
  const { path: folder, remove } = temporaryFolder();
  let calls: FailingCalls;
  let server: Awaited<ReturnType<typeof startServer>>;
  let round = 0;

  const start = () => startServer({ folder, masterKey: MASTER_KEY, env: calls.env });
  const shown = ({ shown }: Kept) => {
    const [method, path] = shown();
    return ask(`${server.url}${path}`, method);
  };
  const change = async (kept: Kept): Promise<{ status: number; code: string | undefined }> => {
    round += 1;
    const [method, path, body] = kept.change(round, await shown(kept));
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${MASTER_KEY}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { code } = (await response.json()) as { code?: string };
    return { status: response.status, code };
  };

  beforeAll(async () => {
    calls = new FailingCalls(`${folder}/data.sv/`);
    server = await start();
    await ask(`${server.url}/experimental-features`, 'PATCH', {
      network: true,
      chatCompletions: true,
    });
    const key = { uid: KEY, actions: ['search'], indexes: ['*'], expiresAt: null };
    await ask(`${server.url}/keys`, 'POST', key);
    await ask(`${server.url}/chats/help/settings`, 'PATCH', { source: 'openAi' });
  });

  afterAll(async () => {
    await server?.stop('SIGKILL');
    calls?.remove();
    remove();
  });

  for (const kept of KINDS) {
    for (const { error, call, code } of FAULTS) {
      test(`${error} at ${call} leaves ${kept.name} as it was`, async () => {
        const before = await shown(kept);
        calls.begin({ calls: [call], error, text: 'server.sqlite', failures: 1 });
        const answer = await change(kept);
        expect(calls.end(), 'the call was made').toBeGreaterThan(0);
        expect(answer).toEqual({ status: STATUS, code });
        expect(await shown(kept)).toEqual(before);
        expect(server.exitCode()).toBe(null);
      });
    }
  }

  test('what is changed afterwards is there when the server was killed', async () => {
    for (const kept of KINDS) expect((await change(kept)).code, kept.name).toBe(undefined);
    const before = await Promise.all(KINDS.map(shown));
    await server.stop('SIGKILL');
    server = await start();
    expect(await Promise.all(KINDS.map(shown))).toEqual(before);
  });
});
