import { expect, test } from 'vitest';
import { SearchQueue } from '../../src/http/search-queue.js';
import { SharedCounts } from '../../src/http/workers/shared-counts.js';
import { SearchStop } from '../../src/native/search-stop.js';

/** A read that ends when told to. */
function heldRead() {
  let end: (value: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  return { read: () => ended, end };
}

test('no more reads run at once than there are places, the others in the order they came', async () => {
  const queue = new SearchQueue({ running: 2, waiting: 10 });
  const started: number[] = [];
  const reads = Array.from({ length: 5 }, heldRead);
  const all = reads.map(({ read }, at) =>
    queue.run(() => {
      started.push(at);
      return read();
    }),
  );
  expect(started).toEqual([0, 1]);
  reads[1]?.end('b');
  await all[1];
  await Promise.resolve();
  expect(started).toEqual([0, 1, 2]);
  for (const { end } of reads) end('x');
  expect(await Promise.all(all)).toEqual(['x', 'b', 'x', 'x', 'x']);
  expect(started).toEqual([0, 1, 2, 3, 4]);
});

test('when the waiting room is full, one that waits is refused in favour of the newcomer', async () => {
  const queue = new SearchQueue({ running: 1, waiting: 2 }, () => 0.5);
  const { read, end } = heldRead();
  const all = ['run', 'first', 'second', 'newcomer'].map((name) =>
    queue.run(async () => `${name} ${await read()}`),
  );
  await expect(all[2]).rejects.toMatchObject({
    code: 'too_many_search_requests',
    message: 'Too many search requests running at the same time: 2. Retry after 10s.',
  });
  end('done');
  expect(await Promise.all([all[0], all[1], all[3]])).toEqual([
    'run done',
    'first done',
    'newcomer done',
  ]);
});

test('a read that fails gives its place free', async () => {
  const queue = new SearchQueue({ running: 1, waiting: 1 });
  await expect(queue.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await queue.run(async () => 'next')).toBe('next');
});

test('a read that waited for too long is refused when its turn comes', async () => {
  const queue = new SearchQueue({ running: 1, waiting: 5, dropAfterMs: 0 });
  const { read, end } = heldRead();
  const running = queue.run(read);
  const late = queue.run(async () => 'late');
  expect([queue.running, queue.waiting]).toEqual([1, 1]);
  end('done');
  expect(await running).toBe('done');
  await expect(late).rejects.toMatchObject({ code: 'too_many_search_requests' });
  expect([queue.running, queue.waiting]).toEqual([0, 0]);
  expect(await queue.run(async () => 'next')).toBe('next');
});

test('a read that is stopped while it waits leaves the queue, and is not run', async () => {
  const queue = new SearchQueue({ running: 1, waiting: 5 });
  let end: () => void = () => undefined;
  const first = queue.run(() => new Promise<void>((resolve) => (end = resolve)));
  const stop = new SearchStop();
  let isRun = false;
  const read = async () => {
    isRun = true;
  };
  const stopped = expect(queue.run(read, stop)).rejects.toThrow('aborted');
  const other = queue.run(async () => 'done');
  expect(queue.waiting).toBe(2);
  stop.stop();
  await stopped;
  expect(queue.waiting).toBe(1);
  end();
  await first;
  expect(await other).toBe('done');
  expect(isRun).toBe(false);
  expect(queue.running).toBe(0);
});

test('the reads of one request wait and are refused as one, and none is once the first has begun', async () => {
  const queue = new SearchQueue({ running: 1, waiting: 2 }, () => 0);
  const { read, end } = heldRead();
  const running = queue.run(read);
  const started: string[] = [];
  const request = (name: string) => {
    const reads = queue.together();
    return Promise.allSettled(
      [1, 2, 3].map((nth) =>
        reads.run(async () => {
          started.push(`${name} ${nth}`);
          return name;
        }),
      ),
    );
  };
  const [first, second] = [request('first'), request('second')];
  expect(queue.waiting).toBe(2);
  // The room is full with two requests, so the first of them gives way to a third.
  const third = request('third');
  for (const { status } of await first) expect(status).toBe('rejected');
  end('x');
  await running;
  for (const answers of [await second, await third]) {
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
  }
  expect(started.toSorted()).toEqual(
    ['second', 'third'].flatMap((name) => [1, 2, 3].map((nth) => `${name} ${nth}`)),
  );
  expect([queue.running, queue.waiting]).toEqual([0, 0]);
});

test('a request of one read that is refused or stopped says so once', async () => {
  const queue = new SearchQueue({ running: 1, waiting: 1 }, () => 0);
  const { read, end } = heldRead();
  const running = queue.run(read);
  const refused = queue.together().run(read);
  const stop = new SearchStop();
  const stopped = queue.together().run(read, stop);
  await expect(refused).rejects.toMatchObject({ code: 'too_many_search_requests' });
  stop.stop();
  await expect(stopped).rejects.toThrow();
  end('x');
  await running;
  expect([queue.running, queue.waiting]).toEqual([0, 0]);
});

test('queues that share a waiting room refuse by how many wait in all of them', async () => {
  const room = new SharedCounts();
  const queues = [1, 2].map(() => new SearchQueue({ running: 1, waiting: 2, room }));
  const [one, other] = queues as [SearchQueue, SearchQueue];
  const { read, end } = heldRead();
  const all = [one.run(read), one.run(read), one.run(read), other.run(read)];
  expect(room.waiting).toBe(2);
  const refused = { code: 'too_many_search_requests' };
  await expect(other.run(read)).rejects.toMatchObject(refused);
  end('done');
  expect(await Promise.all(all)).toEqual(['done', 'done', 'done', 'done']);
  await expect.poll(() => room.waiting).toBe(0);
  expect(await other.run(async () => 'next')).toBe('next');
});

test('a shared waiting room counts none that were stopped, refused or begun', async () => {
  const room = new SharedCounts();
  const queue = new SearchQueue({ running: 1, waiting: 2, room }, () => 0);
  const { read, end } = heldRead();
  const running = queue.run(read);
  const stop = new SearchStop();
  const stopped = queue.run(read, stop);
  const refused = queue.run(read);
  expect(room.waiting).toBe(2);
  stop.stop();
  expect(room.waiting).toBe(1);
  const others = [queue.run(read), queue.run(read)];
  expect(room.waiting).toBe(2);
  await expect(stopped).rejects.toThrow('aborted');
  await expect(refused).rejects.toMatchObject({ code: 'too_many_search_requests' });
  end('done');
  expect(await Promise.all([running, ...others])).toEqual(['done', 'done', 'done']);
  expect(room.waiting).toBe(0);
});
