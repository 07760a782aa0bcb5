import { expect, test } from 'vitest';
import { federatedProblem } from '../../src/search/multi-search-rules.js';

test('a query of a federation may have an empty list of facets, and no other', () => {
  const refused = (facets: string[]) =>
    federatedProblem({ indexUid: 'films', facets }, {}, false)?.message;
  expect(refused([])).toBeUndefined();
  expect(refused(['genres'])).toContain('pass `federation.facetsByIndex.films: ["genres"]`');
});
