import { describe, expect, test } from 'vitest';
import { rankingRuleProblem } from '../../src/settings/ranking-rule.js';

const invalid = (rule: string) =>
  `\`${rule}\` ranking rule is invalid. Valid ranking rules are words, typo, sort, proximity, attribute, exactness and custom ranking rules.`;
const reserved = (name: string) =>
  `\`${name}\` is a reserved keyword and thus can't be used as a ranking rule`;

describe('a ranking rule', () => {
  test.each([
    'words',
    'wordsPosition',
    'price:asc',
    'a:b:desc',
    'asc(price)',
    ':asc',
    'sort:desc',
    '_geoPoint(1, 2:asc',
    '_geoPoints:asc',
    '_geo.lat:desc',
  ])('may be %s', (rule) => {
    expect(rankingRuleProblem(rule)).toBeUndefined();
  });

  test.each(['', 'price', 'price:ASC', 'Words', '_geo', '_geoPoint(1, 2)', '_geoRadius(1, 2, 3)'])(
    'without a direction is one of the built-in ones: not "%s"',
    (rule) => {
      expect(rankingRuleProblem(rule)).toBe(invalid(rule));
    },
  );

  test.each([
    ['_geo:asc', reserved('_geo')],
    ['desc(_geo)', reserved('_geo')],
    ['_geo(1, 2):asc', reserved('_geo(1, 2)')],
    ['_geoDistance:asc', reserved('_geoDistance')],
    ['_geoDistance(1):asc', reserved('_geoDistance(1)')],
    [
      '_geoPoint:asc',
      `${reserved('_geoPoint')}. \`_geoPoint\` can only be used for sorting at search time`,
    ],
    [
      '_geoPoint(1, 2):desc',
      `${reserved('_geoPoint')}. \`_geoPoint\` can only be used for sorting at search time`,
    ],
    [
      '_geoRadius(1:asc',
      `${reserved('_geoRadius')}. \`_geoRadius\` can only be used for filtering at search time`,
    ],
    [
      '_geoBoundingBox:desc',
      `${reserved('_geoBoundingBox')}. \`_geoBoundingBox\` can only be used for filtering at search time`,
    ],
  ])('has no attribute that the geo features use: %s', (rule, problem) => {
    expect(rankingRuleProblem(rule)).toBe(problem);
  });
});
