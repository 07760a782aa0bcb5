import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.mjs';
import { createIpPolicy } from '../../src/outgoing/ip-policy.js';
import { createOutgoingClient } from '../../src/outgoing/outgoing-client.js';
import { Changes } from '../../src/records/changes.js';
import type { Records } from '../../src/records/records.js';
import { TaskEvents } from '../../src/tasks/task-events.js';
import { type DeadLetter, DeadLetterLog } from '../../src/webhooks/dead-letter-log.js';
import type { Webhook } from '../../src/webhooks/webhook.js';
import { WebhookDelivery } from '../../src/webhooks/webhook-delivery.js';
import { memoryRecords } from '../auth/memory-records.js';

interface Heard {
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly tasks: Record<string, unknown>[];
}

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A server that remembers what it is told and answers with the statuses in turn, then 200. */
async function listener(statuses: number[] = []) {
  const heard: Heard[] = [];
  let wake = (): void => undefined;
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const lines = gunzipSync(Buffer.concat(parts)).toString().trim().split('\n');
    heard.push({ headers: request.headers, tasks: lines.map((line) => JSON.parse(line)) });
    response.writeHead(statuses.shift() ?? 200).end();
    wake();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => server.close());
  const until = async (count: number): Promise<void> => {
    while (heard.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const { port } = server.address() as AddressInfo;
  return { heard, until, url: `http://127.0.0.1:${port}/hook` };
}

async function server(args: string[]): Promise<ServerProcess> {
  const started = await startServer({ args });
  cleanups.push(started.remove);
  return started;
}

const addDocument = (url: string, index: string) =>
  fetch(`${url}/indexes/${index}/documents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '[{"id":1}]',
  });

async function nEnded(url: string): Promise<number> {
  const batches = await (await fetch(`${url}/batches`)).json();
  const { results } = batches as { results: { finishedAt: string | null }[] };
  return results.filter(({ finishedAt }) => finishedAt !== null).length;
}

test('the webhook of the launch options hears of each batch once, with all its tasks', async () => {
  const hook = await listener();
  const { url } = await server([
    ...['--task-webhook-url', hook.url, '--task-webhook-authorization-header', 'Bearer secret'],
    ...['--experimental-allowed-ip-networks', '127.0.0.0/8'],
  ]);
  await addDocument(url, 'films');
  await hook.until(1);
  const [{ headers, tasks }] = hook.heard as [Heard];
  expect(headers).toMatchObject({
    'content-type': 'application/x-ndjson',
    'content-encoding': 'gzip',
    authorization: 'Bearer secret',
  });
  expect(tasks).toMatchObject([
    { uid: 0, batchUid: 0, indexUid: 'films', status: 'succeeded', canceledBy: null },
  ]);
  const shown = await (await fetch(`${url}/webhooks`)).json();
  expect(shown).toMatchObject({
    results: [{ isEditable: false, headers: { Authorization: 'Bearer XXX...' } }],
  });
});

test('an address in a private network hears nothing unless it is allowed', async () => {
  const hook = await listener();
  const { url, output } = await server(['--task-webhook-url', hook.url]);
  await addDocument(url, 'films');
  await expect.poll(output, { timeout: 15_000 }).toContain('Rejected IP');
  expect(hook.heard).toEqual([]);
});

interface Around {
  readonly urls: string[];
  readonly givenUp?: string[];
  readonly letters?: DeadLetter[];
  /** Batches that ended before. */
  readonly batches?: number[];
  readonly records?: Records;
  readonly retryAfterMs?: number[];
  readonly headers?: Record<string, string>;
  /** Filled with the batches whose tasks are read. */
  readonly read?: number[];
}

/** A delivery to addresses, without a server around it. */
function delivery({ urls, givenUp = [], batches = [], read = [], ...around }: Around) {
  const events = new TaskEvents();
  const created = new Changes<Webhook>();
  const client = createOutgoingClient(createIpPolicy(['any']));
  const page = { total: 1, limit: 1000, from: null, next: null };
  const { headers = {} } = around;
  const webhook = (url: string, at: number): Webhook => ({ uuid: `uuid-${at}`, url, headers });
  const sender = new WebhookDelivery({
    webhooks: { all: () => urls.map((url, at) => webhook(url, at)), created },
    tasks: {
      events,
      list: async ({ batchUids: [batchUid = -1] = [] }) => {
        read.push(batchUid);
        return { ...page, results: [{ batchUid } as never] };
      },
      listBatches: async ({ from, reverse }) => {
        const all = batches.map((uid) => ({ uid, finishedAt: 'then' }));
        const after = all.filter(({ uid }) => uid >= (from ?? 0));
        return { ...page, results: reverse ? after : all.toReversed() };
      },
    },
    client,
    records: around.records ?? memoryRecords(),
    onGivenUp: (_webhook, letter) => {
      const { batchUid, attempts, error } = letter;
      givenUp.push(`${batchUid}: ${error}, ${attempts} times`);
      around.letters?.push(letter);
    },
    retryAfterMs: around.retryAfterMs ?? [1, 1],
  });
  const end = (batchUid: number): void => {
    batches.push(batchUid);
    events.emit({ kind: 'ended', batchUid, taskUids: [batchUid] });
  };
  const create = (url: string): void => {
    created.tell(webhook(url, urls.push(url) - 1));
  };
  cleanups.push(() => client.close());
  cleanups.push(() => sender.close());
  return { end, create, sender };
}

/** Waits until it is kept that the first address was told of a batch. */
async function keptAsTold(records: Records, batchUid: number): Promise<void> {
  const kept = async () => (await records.records('webhookProgress'))[0]?.[1];
  await expect.poll(kept, { timeout: 15_000 }).toMatchObject({ batchUid });
}

const told = ({ heard }: { heard: Heard[] }) => heard.map(({ tasks }) => tasks[0]?.batchUid);

test('headers of any text are sent, as UTF-8', async () => {
  const hook = await listener();
  const { end } = delivery({ urls: [hook.url], headers: { 'X-Price': '5 € für alle' } });
  end(1);
  await hook.until(1);
  const sent = hook.heard[0]?.headers['x-price'];
  expect(Buffer.from(String(sent), 'latin1').toString()).toBe('5 € für alle');
});

test('a request that fails is sent again, and the order of the batches stays', async () => {
  const hook = await listener([500, 503, 200, 429]);
  const { end } = delivery({ urls: [hook.url] });
  for (const batchUid of [7, 8, 9]) end(batchUid);
  await hook.until(6);
  expect(told(hook)).toEqual([7, 7, 7, 8, 8, 9]);
});

test('a batch that an address refuses again and again is given up, and the next one is told', async () => {
  const hook = await listener([500, 500, 500, 200, 404]);
  const givenUp: string[] = [];
  const { end } = delivery({ urls: [hook.url], givenUp });
  for (const batchUid of [1, 2, 3, 4]) end(batchUid);
  await hook.until(6);
  expect(givenUp).toEqual([
    '1: the address answered 500, 3 times',
    '3: the address answered 404, 1 times',
  ]);
  expect(told(hook)).toEqual([1, 1, 1, 2, 3, 4]);
});

test.each([301, 302, 303, 307, 308])(
  'an address that answers %i is given up rather than left for another one',
  async (status) => {
    const asked: (string | undefined)[] = [];
    const server = createServer(({ method, url }, response) => {
      asked.push(`${method} ${url}`);
      response.writeHead(url === '/old' ? status : 200, { location: '/new' }).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const givenUp: string[] = [];
    delivery({ urls: [`http://127.0.0.1:${port}/old`], givenUp }).end(1);
    await expect.poll(() => givenUp).toEqual([`1: the address answered ${status}, 1 times`]);
    expect(asked).toEqual(['POST /old']);
  },
);

test('a report is made once, however many are told and however often', async () => {
  const hooks = [await listener([500, 500]), await listener([503])];
  const read: number[] = [];
  const { end } = delivery({ urls: hooks.map(({ url }) => url), read });
  end(4);
  await Promise.all([hooks[0]?.until(3), hooks[1]?.until(2)]);
  expect(read).toEqual([4]);
});

test('what waits when the process ends is told by the next one, in order and nothing twice', async () => {
  const hook = await listener([200, 503]);
  const around = { urls: [hook.url], records: memoryRecords(), batches: [0, 1] };
  const first = delivery({ ...around, retryAfterMs: [60_000] });
  for (const uid of [2, 3, 4]) first.end(uid);
  await hook.until(2);
  await keptAsTold(around.records, 2);
  await first.sender.close();
  // A batch that ends while nobody tells of it.
  around.batches.push(5);
  const second = delivery(around);
  second.end(6);
  await hook.until(6);
  await keptAsTold(around.records, 6);
  await second.sender.close();
  expect(told(hook)).toEqual([2, 3, 3, 4, 5, 6]);
  delivery(around).end(7);
  await hook.until(7);
  expect(told(hook).at(-1)).toBe(7);
});

test('an address that is new hears of what ends from then on', async () => {
  const [old, added] = [await listener(), await listener()];
  const around = { records: memoryRecords(), batches: [0, 1] };
  const first = delivery({ ...around, urls: [old.url] });
  first.end(2);
  await old.until(1);
  await keptAsTold(around.records, 2);
  await first.sender.close();
  const second = delivery({ ...around, urls: [old.url, added.url] });
  second.end(3);
  await Promise.all([old.until(2), added.until(1)]);
  expect([told(old), told(added)]).toEqual([[2, 3], [3]]);
});

test('an address that is new when the process ends hears of what ends before the next start', async () => {
  const [old, added] = [await listener(), await listener()];
  const around = { urls: [old.url], records: memoryRecords(), batches: [0, 1] };
  const first = delivery(around);
  first.end(2);
  await old.until(1);
  first.create(added.url);
  await first.sender.close();
  // The running batch ends after nobody is told any more.
  around.batches.push(3);
  delivery(around).end(4);
  await added.until(2);
  expect(told(added)).toEqual([3, 4]);
});

test('a server that is killed tells of its batches after the next start', async () => {
  const hook = await listener([500]);
  const args = ['--task-webhook-url', hook.url];
  args.push('--experimental-allowed-ip-networks', '127.0.0.0/8');
  const first = await server(args);
  for (const index of ['a', 'b', 'c']) await addDocument(first.url, index);
  await hook.until(1);
  await expect.poll(() => nEnded(first.url), { timeout: 15_000 }).toBe(3);
  await first.stop('SIGKILL');
  const second = await startServer({ args, folder: first.folder });
  cleanups.push(() => second.stop());
  await hook.until(4);
  expect(hook.heard.map(({ tasks }) => tasks[0]?.indexUid)).toEqual(['a', 'a', 'b', 'c']);
});

test('what is given up is written down, without headers', async () => {
  const hook = await listener([404]);
  const { url, dataFolder } = await server([
    ...['--task-webhook-url', hook.url],
    ...['--task-webhook-authorization-header', 'Bearer secret'],
    ...['--experimental-allowed-ip-networks', '127.0.0.0/8'],
  ]);
  await addDocument(url, 'films');
  const path = join(dataFolder, 'undelivered-reports.ndjson');
  await expect
    .poll(() => readFile(path, 'utf8').catch(() => ''), { timeout: 10_000 })
    .toContain('\n');
  const text = await readFile(path, 'utf8');
  expect(JSON.parse(text)).toEqual({
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    url: hook.url,
    batchUid: 0,
    attempts: 1,
    error: 'the address answered 404',
  });
});

test('what is said of an address that was given up names no user and no password', async () => {
  const letters: DeadLetter[] = [];
  const hook = await listener([404]);
  const url = hook.url.replace('//', '//user:word@');
  const { end } = delivery({ urls: [url], letters });
  end(1);
  await expect.poll(() => letters.length).toBe(1);
  expect(letters[0]?.url).toBe(hook.url);
  expect(JSON.stringify(letters)).not.toContain('word');
});

test('the file of what is given up stays small', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'serval-letters-'));
  cleanups.push(() => rm(folder, { recursive: true }));
  const path = join(folder, 'letters.ndjson');
  const letter = { url: 'http://a/', attempts: 1, error: 'x'.repeat(100) };
  for (let batchUid = 0; batchUid < 20; batchUid += 1) {
    // Another log at each time: what is in the file counts after a restart, too.
    await new DeadLetterLog(path, 1000).add({ ...letter, batchUid });
  }
  const read = async (name: string) =>
    (await readFile(join(folder, name), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const [older, newer] = [await read('letters.ndjson.1'), await read('letters.ndjson')];
  const uids = [...older, ...newer].map(({ batchUid }) => batchUid);
  expect(uids.at(-1)).toBe(19);
  expect(uids).toEqual(uids.map((_, at) => 20 - uids.length + at));
  expect((await readdir(folder)).toSorted()).toEqual(['letters.ndjson', 'letters.ndjson.1']);
  expect((await stat(path)).size).toBeLessThanOrEqual(1000);
});
