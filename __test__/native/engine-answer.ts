import { onTestFinished } from 'vitest';
import { openNativeEngine } from '../../src/native/engine.js';
import { dataFolder } from '../tasks/open-serval.js';

/** An answer of the engine that is longer than the query, which it repeats. */
export async function answerTo(q: string): Promise<Buffer> {
  const engine = openNativeEngine();
  const index = await engine.createIndex(dataFolder());
  onTestFinished(async () => {
    await index.close();
    await engine.close();
  });
  return index.search('i', JSON.stringify({ q }));
}
