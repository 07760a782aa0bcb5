import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { searchRequestSchema } from '../../src/search/search-request.js';
import { decodeJson } from '../../src/validation/decode-json.js';
import { explain } from '../../src/validation/explain.js';
import { coded, positiveInteger, withRules } from '../../src/validation/field-rules.js';
import { randomSource } from './random-source.js';

const schema = withRules(
  z.strictObject({
    name: withRules(z.string(), { code: 'invalid_index_uid', missing: 'missing_index_uid' }),
    count: coded('invalid_search_limit', positiveInteger).optional(),
    note: coded('invalid_search_q', z.string()).nullish(),
    either: z.union([z.string(), z.array(z.string())]).optional(),
    anyOf: z.union([positiveInteger, z.array(z.string()), z.boolean()]).optional(),
    size: z.number().optional(),
    kind: z.enum(['alpha', 'count']).optional(),
    inner: coded(
      'invalid_search_hybrid_query',
      z.strictObject({ embedder: coded('invalid_search_embedder', z.string()) }),
    ).optional(),
    list: z.array(z.strictObject({ a: z.string() })).optional(),
    bounded: z
      .number()
      .refine((value) => value < 5, { error: 'it is too much' })
      .optional(),
  }),
  { immutable: { createdAt: 'immutable_index_created_at' } },
);

function problemOf(json: string): string {
  const decoded = decodeJson(schema, Buffer.from(json));
  if (!('problem' in decoded)) throw new Error(`${json} was accepted`);
  return `${decoded.problem.code}: ${decoded.problem.message}`;
}

describe('the first problem of a body', () => {
  test.each([
    ['[]', 'bad_request: Invalid value type: expected an object, but found an array: `[]`'],
    ['null', 'bad_request: Invalid value type: expected an object, but found null'],
    [
      '{"name":12}',
      'invalid_index_uid: Invalid value type at `.name`: expected a string, but found a positive integer: `12`',
    ],
    ['{}', 'missing_index_uid: Missing field `name`'],
    [
      '{"name":"a","count":-1}',
      'invalid_search_limit: Invalid value type at `.count`: expected a positive integer, but found a negative integer: `-1`',
    ],
    [
      '{"name":"a","count":1.5}',
      'invalid_search_limit: Invalid value type at `.count`: expected a positive integer, but found a number: `1.5`',
    ],
    [
      '{"name":"a","count":150000000000000000000}',
      'invalid_search_limit: Invalid value type at `.count`: expected a positive integer, but found a number: `1.5e+20`',
    ],
    [
      '{"name":"a","count":1e-7}',
      'invalid_search_limit: Invalid value type at `.count`: expected a positive integer, but found a number: `1e-07`',
    ],
    [
      '{"name":"a","either":3}',
      'bad_request: Invalid value type at `.either`: expected a string or an array, but found a positive integer: `3`',
    ],
    [
      '{"name":"a","anyOf":"x"}',
      'bad_request: Invalid value type at `.anyOf`: expected a boolean, a positive integer, or an array, but found a string: `"x"`',
    ],
    [
      '{"name":"a","either":["x",{"b":1}]}',
      'bad_request: Invalid value type at `.either[1]`: expected a string, but found an object: `{"b":1}`',
    ],
    [
      '{"name":"a","size":"x"}',
      'bad_request: Invalid value type at `.size`: expected a number, but found a string: `"x"`',
    ],
    [
      '{"name":"a","kind":"coun"}',
      'bad_request: Unknown value `coun` at `.kind`: did you mean `count`? expected one of `alpha`, `count`',
    ],
    [
      '{"name":"a","inner":{}}',
      'invalid_search_hybrid_query: Missing field `embedder` inside `.inner`',
    ],
    [
      '{"name":"a","inner":{"embedder":1}}',
      'invalid_search_embedder: Invalid value type at `.inner.embedder`: expected a string, but found a positive integer: `1`',
    ],
    [
      '{"name":"a","list":[{"a":"x"},{"b":1}]}',
      'bad_request: Unknown field `b` inside `.list[1]`: expected one of `a`',
    ],
    ['{"name":"a","bounded":7}', 'bad_request: Invalid value at `.bounded`: it is too much'],
  ])('%s -> %s', (json, problem) => {
    expect(problemOf(json)).toBe(problem);
  });

  test('is the one that comes first in the payload', () => {
    expect(problemOf('{"count":"a","name":1}')).toContain('`.count`');
    expect(problemOf('{"name":1,"count":"a"}')).toContain('`.name`');
  });

  test('is an unknown field as soon as it is met, before absent ones', () => {
    expect(problemOf('{"other":1,"count":"a"}')).toContain('Unknown field `other`');
    expect(problemOf('{"count":"a","other":1}')).toContain('`.count`');
  });

  test('names fields that exist but cannot be changed', () => {
    expect(problemOf('{"createdAt":1}')).toMatch(
      /^immutable_index_created_at: Immutable field `createdAt`: expected one of `name`, `count`/,
    );
  });

  test('is the absence of a body, or its syntax', () => {
    expect(problemOf('')).toBe('missing_payload: A json payload is missing.');
    expect(problemOf('{')).toBe(
      'malformed_payload: The json payload provided is malformed. `EOF while parsing an object at line 1 column 1`.',
    );
  });
});

test('an absent field that has a default is no problem, wherever the problem is', () => {
  const pair = z.strictObject({
    rename: z.boolean().default(false),
    features: z.strictObject({ search: z.boolean().default(true) }).prefault({}),
    indexes: z.array(z.string()),
  });
  const problem = (value: unknown) => explain(z.array(pair), value).message;
  expect(problem([{ indexes: [] }, {}])).toBe('Missing field `indexes` inside `[1]`');
  expect(problem([{ features: {} }])).toBe('Missing field `indexes` inside `[0]`');
});

test('null stands for an absent optional field, where that is allowed', () => {
  const decoded = decodeJson(schema, Buffer.from('{"name":"a","note":null}'));
  expect(decoded).toEqual({ value: { name: 'a', note: null } });
});

test('integers that are too large are cut to the largest exact one', () => {
  const decoded = decodeJson(schema, Buffer.from('{"name":"a","count":18446744073709551615}'));
  expect(decoded).toEqual({ value: { name: 'a', count: Number.MAX_SAFE_INTEGER } });
});

test('whatever a schema refuses can be explained, and nothing else', () => {
  const random = randomSource(99);
  const values = [null, true, 0, -1, 1.5, 'x', [], ['x'], [1], {}, { embedder: 'x' }, { a: 1 }];
  const names = [...Object.keys(searchRequestSchema.shape), 'unknown'];
  for (let round = 0; round < 5000; round++) {
    const fields = Array.from({ length: random.below(3) }, () => [
      random.pick(names),
      random.pick(values),
    ]);
    const body: unknown = Object.fromEntries(fields);
    const known = explain(searchRequestSchema, body).message !== 'Invalid value: it was refused.';
    expect([body, known]).toEqual([body, !searchRequestSchema.safeParse(body).success]);
  }
});
