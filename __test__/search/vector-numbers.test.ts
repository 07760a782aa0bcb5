import { expect, test } from 'vitest';
import { searchQuerySchema, searchRequestSchema } from '../../src/search/search-request.js';
import { decodeJson } from '../../src/validation/decode-json.js';
import { decodeQuery } from '../../src/validation/decode-query.js';
import { parseQueryString } from '../../src/validation/query-string.js';

const body = (vector: string) =>
  decodeJson(searchRequestSchema, Buffer.from(`{"vector":${vector},"hybrid":{"embedder":"e"}}`));

test('a number that a vector cannot hold is refused by name', () => {
  for (const number of ['1e39', '-3.5e38', '1e300']) {
    expect(body(`[1,${number}]`)).toEqual({
      problem: {
        code: 'invalid_search_vector',
        message:
          'Invalid value at `.vector[1]`: the number is too large for a vector, expected one that 32 bits hold.',
      },
    });
    const query = parseQueryString(`vector=${number}&hybridEmbedder=e`);
    expect(decodeQuery(searchQuerySchema, query)).toMatchObject({
      problem: { code: 'invalid_search_vector' },
    });
  }
});

test('the largest and the smallest numbers of a vector pass', () => {
  expect(body('[3.4028234663852886e38,-3.4028234663852886e38,1e-300,0]')).toMatchObject({
    value: { vector: [3.4028234663852886e38, -3.4028234663852886e38, 1e-300, 0] },
  });
});
