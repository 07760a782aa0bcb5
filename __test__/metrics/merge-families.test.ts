import { expect, test } from 'vitest';
import { expositionOf, gauge } from '../../src/metrics/exposition.js';
import { mergeFamilies } from '../../src/metrics/merge-families.js';
import { RequestMetrics } from '../../src/metrics/request-metrics.js';

test('what two have counted is shown as if one had', () => {
  const [one, other, both] = [new RequestMetrics(), new RequestMetrics(), new RequestMetrics()];
  const answers = [
    [one, 'GET', '/a', 200, 0.5],
    [one, 'GET', '/a', 404, 0.001],
    [one, 'POST', '/a', 200, 20],
    [other, 'GET', '/a', 200, 0.25],
    [other, 'GET', '/b', 200, 0.125],
  ] as const;
  for (const [counter, method, path, status, seconds] of answers) {
    counter.observe(method, path, status, seconds);
    both.observe(method, path, status, seconds);
  }
  const merged = mergeFamilies([one.families(), other.families()]);
  expect(expositionOf(merged, '')).toBe(expositionOf(both.families(), ''));
  expect(mergeFamilies([[gauge('n', 'N', 1)], [gauge('n', 'N', 2)]])).toEqual([gauge('n', 'N', 3)]);
});
