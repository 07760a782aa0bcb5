import { expect, test } from 'vitest';
import { expositionOf, gauge } from '../../src/metrics/exposition.js';
import { LabelledCounter } from '../../src/metrics/labelled-counter.js';
import { RequestMetrics } from '../../src/metrics/request-metrics.js';

test('metrics are written with their help and type, and texts are escaped', () => {
  const samples = [{ labels: { index: 'a"\\\n' }, value: 2 }];
  const families = [
    gauge('index_count', 'Indexes\nof all', 3),
    { name: 'docs', help: 'Documents', kind: 'gauge' as const, samples },
    { name: 'nothing', help: 'Never shown', kind: 'gauge' as const, samples: [] },
  ];
  expect(expositionOf(families, 'serval_')).toBe(
    [
      '# HELP serval_index_count Indexes\\nof all',
      '# TYPE serval_index_count gauge',
      'serval_index_count 3',
      '# HELP serval_docs Documents',
      '# TYPE serval_docs gauge',
      'serval_docs{index="a\\"\\\\\\n"} 2',
      '',
    ].join('\n'),
  );
});

test('an answer counts in the bucket of its time and in all slower ones', () => {
  const metrics = new RequestMetrics();
  for (const seconds of [0.001, 0.005, 0.3, 99]) metrics.observe('GET', '/a', 200, seconds);
  const text = expositionOf(metrics.families(), '');
  expect(text).toContain('http_requests_total{method="GET",path="/a",status="200"} 4\n');
  expect(text).toContain('_bucket{method="GET",path="/a",le="0.005"} 2\n');
  expect(text).toContain('_bucket{method="GET",path="/a",le="0.25"} 2\n');
  expect(text).toContain('_bucket{method="GET",path="/a",le="0.5"} 3\n');
  expect(text).toContain('_bucket{method="GET",path="/a",le="10"} 3\n');
  expect(text).toContain('_bucket{method="GET",path="/a",le="+Inf"} 4\n');
  expect(text).toContain('_count{method="GET",path="/a"} 4\n');
});

test('labels that clients choose do not make series without end, and nothing is lost', () => {
  const counter = new LabelledCounter('tokens', 'Tokens');
  for (let model = 0; model < 3000; model += 1) counter.add({ model: `m${model}` }, 2);
  const { samples } = counter.family();
  expect(samples.length).toBeLessThan(1100);
  expect(samples.reduce((sum, { value }) => sum + value, 0)).toBe(6000);
});
