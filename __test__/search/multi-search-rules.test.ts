import { expect, test } from 'vitest';
import { multiSearchSchema } from '../../src/search/multi-search-request.js';
import { federatedProblem } from '../../src/search/multi-search-rules.js';
import { searchRequestSchema } from '../../src/search/search-request.js';
import { decodeJson } from '../../src/validation/decode-json.js';

test('a query of a federation may have an empty list of facets, and no other', () => {
  const refused = (facets: string[]) =>
    federatedProblem({ indexUid: 'films', facets }, {}, false)?.message;
  expect(refused([])).toBeUndefined();
  expect(refused(['genres'])).toContain('pass `federation.facetsByIndex.films: ["genres"]`');
});

test('a query among several may say by null that it has no offset and no limit', () => {
  const query = { indexUid: 'films', offset: null, limit: null };
  const decoded = decodeJson(multiSearchSchema, Buffer.from(JSON.stringify({ queries: [query] })));
  expect(decoded).toEqual({ value: { queries: [query] } });
  expect(federatedProblem(query, {}, false)).toBeUndefined();
  const alone = decodeJson(searchRequestSchema, Buffer.from('{"limit":null}'));
  expect(alone).toMatchObject({ problem: { code: 'invalid_search_limit' } });
});

test('facets are counted of what can be the uid of an index', () => {
  const problemOf = (facetsByIndex: unknown) => {
    const body = JSON.stringify({ queries: [], federation: { facetsByIndex } });
    const decoded = decodeJson(multiSearchSchema, Buffer.from(body));
    return 'problem' in decoded ? decoded.problem : undefined;
  };
  expect(problemOf({ films: ['genres'], 'x-1_': null })).toBeUndefined();
  expect(problemOf({ films: [], 'not valid': ['genres'] })).toEqual({
    code: 'invalid_multi_search_facets_by_index',
    message: expect.stringMatching(
      /^Invalid value at `.federation.facetsByIndex`: `not valid` is not a valid index uid\./,
    ),
  });
});
