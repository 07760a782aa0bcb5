import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { taskListQuerySchema } from '../../src/http/task-query.js';
import { readSort, searchQuerySchema } from '../../src/search/search-request.js';
import { decodeQuery } from '../../src/validation/decode-query.js';
import { coded, positiveInteger } from '../../src/validation/field-rules.js';
import { parseQueryString } from '../../src/validation/query-string.js';

const schema = z.strictObject({
  limit: coded('invalid_index_limit', positiveInteger).default(20),
  deep: coded('invalid_document_retrieve_vectors', z.boolean()).optional(),
  format: coded('invalid_stats_size_format', z.enum(['human', 'raw'])).optional(),
  names: coded('invalid_document_fields', z.array(z.string())).optional(),
  id: z.string(),
});

const decode = (text: string) => decodeQuery(schema, parseQueryString(text));

describe('query parameters', () => {
  test('are read by the types of their schema', () => {
    expect(decode('limit=3&deep=true&format=raw&names=a,b%2Cc&id=x+y%20z')).toEqual({
      value: { limit: 3, deep: true, format: 'raw', names: ['a', 'b', 'c'], id: 'x y z' },
    });
  });

  test('have the defaults of their schema', () => {
    expect(decode('id=1')).toEqual({ value: { limit: 20, id: '1' } });
  });

  test('given twice count by their last value', () => {
    expect(decode('id=1&id=2')).toEqual({ value: { limit: 20, id: '2' } });
  });

  test.each([
    [
      'limit=x',
      'invalid_index_limit',
      'Invalid value in parameter `limit`: could not parse `x` as a positive integer',
    ],
    [
      'limit',
      'invalid_index_limit',
      'Invalid value in parameter `limit`: could not parse `` as a positive integer',
    ],
    [
      'limit=1e3',
      'invalid_index_limit',
      'Invalid value in parameter `limit`: could not parse `1e3` as a positive integer',
    ],
    [
      'deep=True',
      'invalid_document_retrieve_vectors',
      'Invalid value in parameter `deep`: could not parse `True` as a boolean, expected either `true` or `false`',
    ],
    [
      'format=ra',
      'invalid_stats_size_format',
      'Unknown value `ra` for parameter `format`: expected one of `human`, `raw`',
    ],
    [
      'lmit=1',
      'bad_request',
      'Unknown parameter `lmit`: did you mean `limit`? expected one of `limit`, `deep`, `format`, `names`, `id`',
    ],
    ['limit=1', 'bad_request', 'Missing parameter `id`'],
  ])('%s is refused', (text, code, message) => {
    expect(decode(text)).toEqual({ problem: { code, message } });
  });

  test('are checked in the order received', () => {
    expect(decode('deep=x&limit=y')).toMatchObject({ problem: { code: /retrieve_vectors/ } });
    expect(decode('limit=y&deep=x')).toMatchObject({ problem: { code: /limit/ } });
  });
});

describe('filters on tasks', () => {
  const filter = (text: string) => decodeQuery(taskListQuerySchema, parseQueryString(text));

  test('name the element of a list only when there are several', () => {
    expect(filter('uids=x')).toMatchObject({ problem: { message: /parameter `uids`:/ } });
    expect(filter('uids=1,x')).toMatchObject({ problem: { message: /parameter `uids\[1\]`:/ } });
  });

  test('take words in any letter case, and a star as no restriction', () => {
    expect(filter('statuses=SUCCEEDED,failed&types=settingsupdate&uids=1,*')).toEqual({
      value: {
        limit: 20,
        reverse: false,
        statuses: ['succeeded', 'failed'],
        types: ['settingsUpdate'],
      },
    });
  });

  test('without text are empty lists, which match nothing', () => {
    expect(filter('uids=&statuses=')).toMatchObject({ value: { uids: [], statuses: [] } });
  });

  test.each([
    ['afterEnqueuedAt=2024-01-31', { afterEnqueuedAt: '2024-02-01T00:00:00.000Z' }],
    ['beforeEnqueuedAt=2024-01-31', { beforeEnqueuedAt: '2024-01-31T00:00:00.000Z' }],
    [
      'afterStartedAt=2024-01-31T12:00:00.123456789Z',
      { afterStartedAt: '2024-01-31T12:00:00.123456789Z' },
    ],
    ['afterStartedAt=2024-01-31T12:00:00%2B02:00', { afterStartedAt: '2024-01-31T10:00:00Z' }],
    ['beforeFinishedAt=*', {}],
  ])('%s bounds the time', (text, bounds) => {
    expect(filter(text)).toEqual({ value: { limit: 20, reverse: false, ...bounds } });
  });

  test.each(['yesterday', '2024-13-01', '2024-02-30', '2024-01-31T25:00:00Z', '1700000000'])(
    '%s is no date',
    (text) => {
      expect(filter(`afterEnqueuedAt=${text}`)).toMatchObject({
        problem: { code: 'invalid_task_after_enqueued_at' },
      });
    },
  );
});

describe('search parameters', () => {
  test('keep the two numbers of a point together when sorting', () => {
    expect(readSort('_geoPoint(1.5,-2):asc,price:desc')).toEqual([
      '_geoPoint(1.5,-2):asc',
      'price:desc',
    ]);
    expect(readSort('"price:asc", title:desc')).toEqual(['price:asc', 'title:desc']);
  });

  test('what follows the beginning of a point belongs to it until a point ends', () => {
    expect(readSort('_geoPoint(1):asc,price:asc,_geoPoint(1,2):asc,price:desc')).toEqual([
      '_geoPoint(1):asc,price:asc',
      '_geoPoint(1,2):asc',
      'price:desc',
    ]);
  });

  test('take a filter as JSON when it is an array, else as an expression', () => {
    const filterOf = (text: string) =>
      decodeQuery(searchQuerySchema, parseQueryString(`filter=${encodeURIComponent(text)}`));
    expect(filterOf('["a = 1",["b = 2"]]')).toEqual({ value: { filter: ['a = 1', ['b = 2']] } });
    expect(filterOf('a = 1')).toEqual({ value: { filter: 'a = 1' } });
    expect(filterOf('12')).toEqual({ value: { filter: '12' } });
  });

  test.each([
    ['0x10', 'invalid float literal'],
    ['1, 2', 'invalid float literal'],
    ['1_0', 'invalid float literal'],
    ['1,,2', 'cannot parse float from empty string'],
    ['', 'cannot parse float from empty string'],
  ])('take decimals for a vector: not %j', (text, reason) => {
    const query = parseQueryString(`vector=${encodeURIComponent(text)}`);
    const decoded = decodeQuery(searchQuerySchema, query);
    expect('problem' in decoded && decoded.problem.message).toContain(`: ${reason}`);
  });

  test.each(['0x0', ' ', '1_0'])('take a decimal for a threshold: not %j', (text) => {
    const query = parseQueryString(`rankingScoreThreshold=${encodeURIComponent(text)}`);
    expect(decodeQuery(searchQuerySchema, query)).toMatchObject({
      problem: { code: 'invalid_search_ranking_score_threshold' },
    });
  });
});
