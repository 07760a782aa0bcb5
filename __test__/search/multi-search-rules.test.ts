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
