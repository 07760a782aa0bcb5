import { readFileSync } from 'node:fs';
import { maxHeaderSize } from 'node:http';
import { expect, test } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { defaultOf } from '../../src/config/options-document.js';
import { MAX_ANSWER_BYTES } from '../../src/http/answer-room.js';
import { MAX_VALUES } from '../../src/http/read-body.js';
import { STALLED_ANSWER_MS, TIME_LIMITS } from '../../src/http/time-limits.js';
import { DEFAULT_QUEUE_BYTES } from '../../src/tasks/queue-room.js';
import { DEFAULT_RETENTION } from '../../src/tasks/retention.js';

const KIB = 1024;
const GIB = KIB ** 3;
const number = new Intl.NumberFormat('en');
const seconds = (ms: number): string => `${ms / 1000} seconds`;

/** What the table of limits must say, by the beginning of a row. */
const LIMITS: Readonly<Record<string, readonly string[]>> = {
  'a body, after decompression': [defaultOf('httpPayloadSizeLimit')],
  'values in a body that holds no documents or ids to delete': [number.format(MAX_VALUES)],
  'the headers of a request': [`${maxHeaderSize / KIB} KiB`, seconds(TIME_LIMITS.headersTimeout)],
  'a whole request': [`${TIME_LIMITS.requestTimeout / 60_000} minutes`],
  'taking nothing of a large answer': [seconds(STALLED_ANSWER_MS)],
  'highlight tags and crop markers in the hits of a search': [`${insertedBytes() / KIB ** 2} MiB`],
  'the answers to the queries of a multi-search, together': [`${MAX_ANSWER_BYTES / GIB} GiB`],
  'tasks on disk': [`${DEFAULT_QUEUE_BYTES / GIB} GiB`],
  'tasks that are remembered': [
    number.format(DEFAULT_RETENTION.maxTasks),
    number.format(DEFAULT_RETENTION.atOnce),
  ],
  'searches and reads of documents at once': [
    `${defaultOf('experimentalNbSearchesPerCore')} per core`,
  ],
  'those that wait': [defaultOf('experimentalSearchQueueSize')],
  'how long they wait': [`${defaultOf('experimentalDropSearchAfter')} seconds`],
};

/** What the engine has written down, which tells it nobody. */
function insertedBytes(): number {
  const source = readFileSync(inRoot('crates/format/src/text_formatter.rs'), 'utf8');
  const [, factor, shift] = /MAX_INSERTED_BYTES: usize = (\d+) << (\d+);/.exec(source) ?? [];
  return Number(factor) * 2 ** Number(shift);
}

test('the table of limits says those of the server, and no others', () => {
  const text = readFileSync(inRoot('docs/running.md'), 'utf8').split('\n## Limits\n')[1] ?? '';
  const rows = new Map(
    [...text.matchAll(/^\| (?!what |---)([^|]+) \| ([^|]+) \|$/gm)].map(
      ([, what = '', limit = '']) => [what, limit],
    ),
  );
  expect([...rows.keys()].sort()).toEqual(Object.keys(LIMITS).sort());
  for (const [what, limits] of Object.entries(LIMITS)) {
    for (const limit of limits) expect(rows.get(what), what).toContain(limit);
  }
});

test('how long idle connections are kept is said where proxies are', () => {
  const text = readFileSync(inRoot('docs/running.md'), 'utf8');
  expect(text).toContain(`kept for ${seconds(TIME_LIMITS.keepAliveTimeout)}`);
});
