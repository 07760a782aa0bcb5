import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { FULL_ACCESS } from '../../src/auth/access.js';
import { seesBatch, seesTask } from '../../src/http/change-answer.js';
import { createServer } from '../../src/http/create-server.js';
import { ChangeListeners } from '../../src/tasks/change-listeners.js';
import type { Batch, Task } from '../../src/tasks/task.js';
import { fakeServices } from './fake-services.js';

test('a client that hangs up is no listener any more', async () => {
  let unwatched: () => void = () => undefined;
  const forgotten = new Promise<void>((resolve) => {
    unwatched = resolve;
  });
  const listeners = new ChangeListeners<Batch>(() => unwatched);
  const { services } = fakeServices();
  const changes = {
    ...services.changes,
    followBatches: listeners.follow.bind(listeners),
    end: () => listeners.end(),
  };
  const app = await createServer({ ...services, changes }, { payloadSizeLimit: 1000 });
  onTestFinished(() => app.close());
  await app.listen({ port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const client = get({ port, path: '/batches/stream' });
  const [response] = (await once(client, 'response')) as [IncomingMessage];
  expect(response.headers).toMatchObject({
    'content-type': 'application/x-ndjson',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  client.destroy();
  await forgotten;
});

const narrow = { ...FULL_ACCESS, visibleIndexes: ['a', 'b*'] };
const swap = { swaps: [{ indexes: ['a', 'b1'] }, { indexes: ['b2', 'c'] }] };

test.each([
  ['of an index of the key', { indexUid: 'b7' }, true],
  ['of another index', { indexUid: 'c' }, false],
  ['of no index', { indexUid: null, details: {} }, false],
  ['that swaps indexes of the key', { indexUid: null, details: { swaps: [swap.swaps[0]] } }, true],
  ['that swaps another index, too', { indexUid: null, details: swap }, false],
])('a task %s is seen by a narrow key as listings show it', (_, task, isSeen) => {
  expect(seesTask(narrow)(task as unknown as Task)).toBe(isSeen);
  expect(seesTask(FULL_ACCESS)(task as unknown as Task)).toBe(true);
});

test.each([
  ['of indexes of which one is of the key', { a: 1, c: 1 }, {}, true],
  ['of other indexes', { c: 1 }, {}, false],
  ['of no index', {}, {}, false],
  ['of a swap within the key', {}, { swaps: [swap.swaps[0]] }, true],
  ['of a swap beyond the key', {}, swap, false],
])('a batch %s is seen by a narrow key or not', (_, indexUids, details, isSeen) => {
  const batch = { stats: { indexUids }, details } as unknown as Batch;
  expect(seesBatch(narrow)(batch)).toBe(isSeen);
  expect(seesBatch(FULL_ACCESS)(batch)).toBe(true);
});
