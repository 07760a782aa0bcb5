import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder, type Server, start } from './servers.js';
import { ask, ended, MASTER_KEY, type ShownTask, write } from './talk.js';

const QUEUE_OFF = ['--experimental-max-number-of-batched-tasks', '0'];
const ONE_BY_ONE = ['--experimental-max-number-of-batched-tasks', '1'];
/** More bytes than the event loop reads, in the order in which they are kept. */
const STOP_WORDS = Array.from({ length: 20_000 }, (_, number) => `word${100_000 + number}`);
const EMBEDDERS = { main: { source: 'openAi', apiKey: 'sk-0123456789' } };
const CHANGE = {
  searchCutoffMs: 900,
  stopWords: STOP_WORDS.toReversed(),
  synonyms: { tub: ['boat'] },
  rankingRules: null,
  displayedAttributes: null,
};
/** What is shown of it, in the order of the wire. */
const DETAILS = {
  displayedAttributes: ['*'],
  rankingRules: null,
  stopWords: STOP_WORDS,
  synonyms: { tub: ['boat'] },
  searchCutoffMs: 900,
};

const payloads = ({ dataFolder }: Server) => readdirSync(join(dataFolder, 'payloads'));

/** A server whose queue stands, with a change of settings in it. */
async function waitingChange(): Promise<{ server: Server; uid: number }> {
  const server = await start(await newFolder(), ...QUEUE_OFF);
  const path = `${server.url}/indexes/films/settings`;
  const { taskUid } = await ask<{ taskUid: number }>(path, 'PATCH', CHANGE);
  return { server, uid: taskUid };
}

async function stopWordsOf(url: string): Promise<unknown> {
  return (await ask(`${url}/indexes/films/settings`)).stopWords;
}

test('settings of many words wait in a file, over a kill, which goes with their task', async () => {
  const { server, uid } = await waitingChange();
  const waiting = await ask<ShownTask>(`${server.url}/tasks/${uid}`);
  expect(JSON.stringify(waiting.details)).toBe(JSON.stringify(DETAILS));
  expect(payloads(server)).toHaveLength(1);
  await server.stop('SIGKILL');

  const second = await start(server.folder);
  const done = await ended(second.url, uid);
  expect(done).toMatchObject({ status: 'succeeded', error: null });
  expect(JSON.stringify(done.details)).toBe(JSON.stringify(DETAILS));
  expect(await stopWordsOf(second.url)).toEqual(STOP_WORDS);
  expect(await ask(`${second.url}/indexes/films/settings/stop-words`)).toEqual(STOP_WORDS);
  expect(await ask(`${second.url}/indexes/films/settings/search-cutoff-ms`)).toBe(900);
  expect(payloads(second)).toEqual([]);
  expect(await ask(`${second.url}/tasks`)).toMatchObject({ results: [{ uid, details: DETAILS }] });
});

test('a batch of several changes of settings shows the last value of each', async () => {
  const { server } = await waitingChange();
  const path = '/indexes/films/settings';
  await ask(`${server.url}${path}`, 'PATCH', { searchCutoffMs: 800, facetSearch: false });
  await server.stop();

  const second = await start(server.folder);
  await ended(second.url, 1);
  const batches = await ask<{ results: ShownTask[] }>(`${second.url}/batches`);
  const details = { ...DETAILS, searchCutoffMs: 800, facetSearch: false };
  expect(batches.results.map((batch) => JSON.stringify(batch.details))).toEqual([
    JSON.stringify(details),
  ]);
  expect(await ask(`${second.url}/batches/0`)).toEqual(batches.results[0]);
});

test('a damaged file of settings fails its task, which then changes nothing', async () => {
  const { server, uid } = await waitingChange();
  await server.stop();
  const [name = ''] = payloads(server);
  writeFileSync(join(server.dataFolder, 'payloads', name), '{"stopWords": ["a"');

  const second = await start(server.folder);
  const failed = await ended(second.url, uid);
  expect(failed).toMatchObject({ status: 'failed', details: DETAILS, error: { code: 'internal' } });
  expect(await stopWordsOf(second.url)).toEqual([]);
});

test('settings of many words that wait come along in a dump', async () => {
  const { server, uid } = await waitingChange();
  const dump = await ask<{ taskUid: number }>(`${server.url}/dumps`, 'POST');
  await server.stop();
  const second = await start(server.folder, ...ONE_BY_ONE);
  const { details } = await ended(second.url, dump.taskUid);
  await second.stop();

  const file = join(server.folder, 'dumps', `${details?.dumpUid}.dump`);
  const third = await start(await newFolder(), '--import-dump', file);
  expect(await ended(third.url, uid)).toMatchObject({ status: 'succeeded', details: DETAILS });
  expect(await stopWordsOf(third.url)).toEqual(STOP_WORDS);
});

test('keys of embedders beside many words are kept, and shown masked', async () => {
  const server = await start(await newFolder());
  const path = '/indexes/films/settings';
  const change = { stopWords: STOP_WORDS, embedders: EMBEDDERS };
  const { details } = await write(server.url, 'PATCH', path, change);
  const shown = { main: { source: 'openAi', apiKey: 'skXXXX...' } };
  expect(details).toEqual({ stopWords: STOP_WORDS, embedders: shown });
  expect(await ask(`${server.url}${path}`)).toMatchObject({ embedders: shown });
  expect(await ask(`${server.url}${path}/embedders`)).toMatchObject(shown);
});

test('settings of many bytes are refused like short ones, and leave no file', async () => {
  const server = await start(await newFolder());
  const send = async (path: string, method: string, body: string) => {
    const response = await fetch(`${server.url}/indexes/films/settings${path}`, {
      method,
      headers: { Authorization: `Bearer ${MASTER_KEY}`, 'Content-Type': 'application/json' },
      body,
    });
    return { status: response.status, answer: (await response.json()) as ShownTask };
  };
  const blank = ' '.repeat(100_000);
  const bad: [path: string, method: string, body: string][] = [
    ['', 'PATCH', '{"stopWords": ["a", 1]}'],
    ['', 'PATCH', '{"stopWords": ["a",]}'],
    ['', 'PATCH', '{"unknown": []}'],
    ['', 'PATCH', '{"searchCutoffMs": 1.0}'],
    ['', 'PATCH', '{"foreignKeys": []}'],
    ['', 'PATCH', '{"embedders": {"main": {"source": "rest"}}}'],
    ['', 'PATCH', '["\\ud800"]'],
    ['/synonyms', 'PUT', '{"a": ["b", {}]}'],
    ['/stop-words', 'PUT', '{"a": 1}'],
    ['/typo-tolerance', 'PATCH', '{"minWordSizeForTypos": {"oneTypo": 9, "twoTypos": 3}}'],
  ];
  for (const [path, method, body] of bad) {
    const short = await send(path, method, body);
    expect(short).toMatchObject({ status: 400 });
    expect(await send(path, method, `${body}${blank}`)).toEqual(short);
  }
  expect(payloads(server)).toEqual([]);
  // What is short but for its spaces needs no file.
  const { answer } = await send('/dictionary', 'PUT', `["b", "a"]${blank}`);
  const { taskUid } = answer as unknown as { taskUid: number };
  expect(await ended(server.url, taskUid)).toMatchObject({ details: { dictionary: ['a', 'b'] } });
});
