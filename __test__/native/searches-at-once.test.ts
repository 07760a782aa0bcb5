import { expect, onTestFinished, test } from 'vitest';
import { openNativeEngine } from '../../src/native/engine.js';
import { dataFolder } from '../tasks/open-serval.js';

test('each of many searches at once gets its own answer, small or large', async () => {
  const engine = openNativeEngine();
  const index = await engine.createIndex(dataFolder());
  onTestFinished(async () => {
    await index.close();
    await engine.close();
  });
  // Answers repeat the query; some are longer than what is copied on the way back.
  const queries = Array.from({ length: 600 }, (_, at) => `${at} ${'é'.repeat((at % 40) * 900)}`);
  const answers = await Promise.all(queries.map((q) => index.search('i', JSON.stringify({ q }))));
  expect(answers.map((answer) => JSON.parse(answer.toString()).query)).toEqual(queries);
});
