import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { Connection, parseReply, preparePost } from '../../bench/connection.mjs';
import { batches, openDataset } from '../../bench/dataset.mjs';
import { FreshSearch, freshBody } from '../../bench/fresh-search.mjs';
import { markdownTable, percentile } from '../../bench/numbers.mjs';
import { product } from '../../bench/products.mjs';
import { makeQueries } from '../../bench/query-classes.mjs';
import { sampleDataset } from '../../bench/sample.mjs';
import { inRoot } from '../../scripts/paths.mjs';

const SETTINGS = inRoot('bench', 'settings', 'movies.json');
const movies = () => openDataset(inRoot('__test__', 'fixtures', 'movies-500.ndjson'), SETTINGS);

test('a percentile is a value that was measured', () => {
  const values = [5, 1, 4, 2, 3];

  expect(percentile(values, 50)).toBe(3);
  expect(percentile(values, 99)).toBe(5);
  expect(percentile(values, 1)).toBe(1);
  expect(percentile([], 50)).toBeNaN();
});

test('a table has one rule and its numbers to the right', () => {
  expect(markdownTable(['a', 'b'], [['x', '1']])).toBe('| a | b |\n| --- | ---: |\n| x | 1 |');
});

test('batches hold every line once and keep to their size', async () => {
  const sizes = [];
  for await (const { documents, body } of batches(movies(), { size: 150, maxBytes: 1e9 })) {
    expect(body.toString().trimEnd().split('\n')).toHaveLength(documents);
    sizes.push(documents);
  }

  expect(sizes).toEqual([150, 150, 150, 50]);
});

test('the same seed makes the same queries, another seed others', async () => {
  const sample = await sampleDataset(movies(), 1);
  const { settings } = movies();
  const first = makeQueries(sample, settings, 1);

  expect(first.length).toBeGreaterThanOrEqual(12);
  expect(makeQueries(await sampleDataset(movies(), 1), settings, 1)).toEqual(first);
  expect(makeQueries(sample, settings, 2)).not.toEqual(first);
});

test('classes that need filterable attributes are left out without them', async () => {
  const dataset = { ...movies(), settings: {} };
  const names = makeQueries(await sampleDataset(dataset, 1), {}, 1).map(({ name }) => name);

  expect(names).toContain('word-common');
  expect(names).not.toContain('word-filter');
  expect(names).not.toContain('sort');
});

test('a product depends on its number alone', () => {
  expect(product(41)).toEqual(product(41));
  expect(product(41)).not.toEqual({ ...product(42), id: 42 });
  expect(product(41).id).toBe(42);
});

test('a reply is taken apart only when all of it is there', () => {
  const text = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody';

  expect(parseReply(Buffer.from(text.slice(0, -1)))).toBeUndefined();
  expect(parseReply(Buffer.from(text))).toMatchObject({ status: 200, bytes: 4 });
});

test('a chunked reply is joined', () => {
  const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  const whole = `${head}3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`;

  expect(parseReply(Buffer.from(whole))?.body.toString()).toBe('abcde');
  expect(parseReply(Buffer.from(whole.slice(0, -4)))).toBeUndefined();
});

test('a connection is kept for the next request', async () => {
  const sockets = new Set();
  const server = createServer((request, response) => {
    sockets.add(request.socket);
    request.resume().on('end', () => response.end('{"hits":[]}'));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const connection = new Connection(url);
  try {
    const request = preparePost({ url }, '/indexes/a/search', { q: 'ä' });
    const replies = [await connection.send(request), await connection.send(request)];

    expect(replies.map(({ body }) => body.toString())).toEqual(['{"hits":[]}', '{"hits":[]}']);
    expect(sockets.size).toBe(1);
  } finally {
    connection.close();
    server.close();
  }
});

test('a fresh search is never sent twice and asks for the same', () => {
  const target = { url: new URL('http://127.0.0.1:7700') };
  const search = new FreshSearch(target, 'films', { q: 'a "b" 00000001' });
  const bodies = [search.next(), search.next(), search.same(), search.same()].map((bytes) =>
    JSON.parse(bytes.toString().split('\r\n\r\n')[1] ?? ''),
  );
  const markers = bodies.map(({ cropMarker }) => cropMarker);

  expect(bodies.map(({ q }) => q)).toEqual(Array(4).fill('a "b" 00000001'));
  expect(new Set(markers.slice(0, 3)).size).toBe(3);
  expect(markers[3]).toBe(markers[2]);
  expect(freshBody({ q: 'x' })).not.toEqual(freshBody({ q: 'x' }));
});
