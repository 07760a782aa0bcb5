import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.mjs';
import { createIpPolicy } from '../../src/outgoing/ip-policy.js';
import { createOutgoingClient } from '../../src/outgoing/outgoing-client.js';
import { TaskEvents } from '../../src/tasks/task-events.js';
import { WebhookDelivery } from '../../src/webhooks/webhook-delivery.js';

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

/** A delivery to one address, without a server around it. */
function delivery(url: string, givenUp: string[] = []): TaskEvents {
  const events = new TaskEvents();
  const client = createOutgoingClient(createIpPolicy(['any']));
  const sender = new WebhookDelivery({
    webhooks: { all: () => [{ uuid: 'a', url, headers: {} }] },
    tasks: {
      events,
      list: async ({ batchUids }) => ({
        results: [{ batchUid: batchUids?.[0] } as never],
        total: 1,
        limit: 1000,
        from: null,
        next: null,
      }),
    },
    client,
    onGivenUp: (_webhook, batchUid, reason) => givenUp.push(`${batchUid}: ${reason}`),
    retryAfterMs: [1, 1],
  });
  cleanups.push(() => client.close());
  cleanups.push(() => sender.close());
  return events;
}

const ended = (batchUid: number) => ({ kind: 'ended' as const, batchUid, taskUids: [batchUid] });

test('a request that fails is sent again, and the order of the batches stays', async () => {
  const hook = await listener([500, 503, 200, 429]);
  const events = delivery(hook.url);
  for (const batchUid of [7, 8, 9]) events.emit(ended(batchUid));
  await hook.until(6);
  expect(hook.heard.map(({ tasks }) => tasks[0]?.batchUid)).toEqual([7, 7, 7, 8, 8, 9]);
});

test('a batch that an address refuses again and again is given up, and the next one is told', async () => {
  const hook = await listener([500, 500, 500, 200, 404]);
  const givenUp: string[] = [];
  const events = delivery(hook.url, givenUp);
  for (const batchUid of [1, 2, 3, 4]) events.emit(ended(batchUid));
  await hook.until(6);
  expect(givenUp).toEqual(['1: the address answered 500', '3: the address answered 404']);
  expect(hook.heard.map(({ tasks }) => tasks[0]?.batchUid)).toEqual([1, 1, 1, 2, 3, 4]);
});
