import { once } from 'node:events';
import { expect, test } from 'vitest';
import { ChangeListeners } from '../../src/tasks/change-listeners.js';
import { ChangeStream } from '../../src/tasks/change-stream.js';

interface State {
  readonly uid: number;
  readonly step: string;
}

const everything = { sees: () => true, frame: (json: string) => `${json}\n` };

async function textOf(stream: ChangeStream): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}

/** A stream that has handed on all that a connection takes ahead of its client. */
function stalled(): ChangeStream {
  const stream = new ChangeStream();
  stream.read(0);
  stream.give(0, `${'x'.repeat(20_000)}\n`);
  return stream;
}

test('a listener that reads gets every state in order', async () => {
  const stream = new ChangeStream();
  const text = textOf(stream);
  for (const step of ['a', 'b', 'c']) {
    stream.give(1, `${step}\n`);
    await new Promise(setImmediate);
  }
  stream.end();
  expect(await text).toBe('a\nb\nc\n');
});

test('a slow listener gets the newest state of each object alone', async () => {
  const stream = stalled();
  for (const step of ['1 old\n', '1 newer\n']) stream.give(1, step);
  stream.give(2, '2 old\n');
  stream.give(1, '1 newest\n');
  stream.end();
  expect((await textOf(stream)).split('\n').slice(1)).toEqual(['2 old', '1 newest', '']);
});

test('what waits for a slow listener is bounded: the states that changed last are kept', async () => {
  const stream = stalled();
  const state = 'y'.repeat(100_000);
  for (let uid = 1; uid <= 100; uid += 1) stream.give(uid, `${uid} ${state}\n`);
  stream.end();
  const lines = (await textOf(stream)).trim().split('\n').slice(1);
  const uids = lines.map((line) => Number(line.split(' ')[0]));
  expect(uids).toEqual([91, 92, 93, 94, 95, 96, 97, 98, 99, 100]);
});

test('the end of a stream cuts off a listener that reads nothing any more', async () => {
  const stream = stalled();
  stream.give(1, 'more\n');
  stream.end();
  await expect(once(stream, 'close')).resolves.toBeDefined();
});

test('a state is written as JSON once for all who may see it', async () => {
  let nWritten = 0;
  const state = (uid: number) => ({
    uid,
    step: '',
    toJSON: () => {
      nWritten += 1;
      return { uid };
    },
  });
  const listeners = new ChangeListeners<State>(() => () => undefined);
  const streams = [everything, everything, { ...everything, sees: ({ uid }: State) => uid > 1 }];
  const texts = streams.map((interest) => textOf(listeners.follow(interest)));
  listeners.publish(state(1));
  listeners.publish(state(2));
  listeners.end();
  expect(await Promise.all(texts)).toEqual([
    '{"uid":1}\n{"uid":2}\n',
    '{"uid":1}\n{"uid":2}\n',
    '{"uid":2}\n',
  ]);
  expect(nWritten).toBe(2);
});

test('nothing is watched while nobody listens, and nobody is told after the end', async () => {
  const log: string[] = [];
  const listeners = new ChangeListeners<State>(() => {
    log.push('watch');
    return () => log.push('unwatch');
  });
  expect(log).toEqual([]);
  const [first, second] = [listeners.follow(everything), listeners.follow(everything)];
  first.destroy();
  await once(first, 'close');
  expect(log).toEqual(['watch']);
  second.destroy();
  await once(second, 'close');
  expect(log).toEqual(['watch', 'unwatch']);
  listeners.end();
  expect(await textOf(listeners.follow(everything))).toBe('');
});
