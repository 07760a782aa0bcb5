import { expect, test } from 'vitest';
import { eventData } from '../../src/chats/sse-reader.js';

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, size = bytes.length): Promise<string[]> {
  const found: string[] = [];
  for await (const data of eventData(pieces(bytes, size))) found.push(data);
  return found;
}

const EVENTS = ['{"a":"é 😀"}', 'two\nlines', '', '[DONE]'];

function written(lineEnd: string): Buffer {
  const fields = EVENTS.map((data) => data.split('\n').map((line) => `data: ${line}${lineEnd}`));
  const events = fields.map((lines) => `: a comment${lineEnd}id: 7${lineEnd}${lines.join('')}`);
  return Buffer.from(`\uFEFFretry: 10${lineEnd}${lineEnd}${events.join(lineEnd)}${lineEnd}`);
}

test.each(['\n', '\r\n', '\r'])(
  'events are the same wherever lines ending in %j are broken',
  async (end) => {
    const bytes = written(end);
    for (let size = 1; size <= bytes.length; size++)
      expect(await read(bytes, size)).toEqual(EVENTS);
  },
);

test('the space after the colon may be missing, and the last empty line', async () => {
  expect(await read(Buffer.from('data:x\n\ndata\n\ndata:  y'))).toEqual(['x', '', ' y']);
});

test('text that is not UTF-8 is refused', async () => {
  const wrong = Buffer.concat([
    Buffer.from('data: '),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('\n\n'),
  ]);
  await expect(read(wrong)).rejects.toMatchObject({ type: 'invalid_utf8_error' });
  await expect(read(Buffer.from([0xe2, 0x82]))).rejects.toMatchObject({
    type: 'invalid_utf8_error',
  });
});

test('an event without an end is refused before it fills the memory', async () => {
  async function* endless(lead: string, part: string): AsyncGenerator<Uint8Array> {
    yield Buffer.from(lead);
    for (;;) yield Buffer.from(part);
  }
  const all = async (body: AsyncGenerator<Uint8Array>) => {
    for await (const _ of eventData(body));
  };
  const refused = { type: 'parser_error' };
  await expect(all(endless('data: ', 'x'.repeat(65_536)))).rejects.toMatchObject(refused);
  const lines = `data: ${'x'.repeat(65_536)}\n`;
  await expect(all(endless('', lines))).rejects.toMatchObject(refused);
  await expect(all(endless('', 'data:\n'.repeat(10_000)))).rejects.toMatchObject(refused);
});
