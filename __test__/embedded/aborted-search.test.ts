import { expect, onTestFinished, test } from 'vitest';
import { openNativeEngine } from '../../src/native/engine.js';
import { SearchStop } from '../../src/native/search-stop.js';
import { Serval } from '../../src/serval.js';
import { dataFolder } from '../tasks/open-serval.js';

async function withNotes() {
  const db = await Serval.memory();
  onTestFinished(() => db.close());
  const notes = db.index<{ id: number; text: string }>('notes');
  const documents = Array.from({ length: 100 }, (_, id) => ({ id, text: `note ${id}` }));
  await (await notes.addDocuments(documents)).wait();
  return { db, notes };
}

test('an aborted search fails with the reason of its signal', async () => {
  const { db, notes } = await withNotes();
  const gone = new AbortController();
  const { signal } = gone;
  const searches = [
    notes.search('note', { signal }),
    notes.facetSearch('text', 'n', { signal }),
    db.multiSearch([notes.query('note')], { signal }),
    db.federatedSearch([notes.query('note')], { signal }),
  ];
  const reason = new Error('enough');
  gone.abort(reason);
  for (const ended of await Promise.allSettled(searches)) {
    expect(ended).toEqual({ status: 'rejected', reason });
  }
  expect((await notes.search('note')).hits).toHaveLength(20);
});

test('the engine answers no search that was stopped', async () => {
  const engine = openNativeEngine();
  const index = await engine.createIndex(dataFolder());
  onTestFinished(async () => {
    await index.close();
    await engine.close();
  });
  const stop = new SearchStop();
  const query = '{"q":""}';
  expect(JSON.parse((await index.search('i', query, undefined, stop)).toString()).hits).toEqual([]);
  const federated = '{"federation":{},"queries":[{"indexUid":"i","search":{}}]}';
  const facet = '{"facetName":"a"}';
  stop.stop();
  expect(stop.signal.aborted).toBe(true);
  const aborted = 'The search was aborted.';
  await expect(index.search('i', query, undefined, stop)).rejects.toThrow(aborted);
  await expect(index.facetSearch(facet, stop)).rejects.toThrow(aborted);
  const named = [{ uid: 'i', index }];
  await expect(engine.federatedSearch(named, federated, undefined, stop)).rejects.toThrow(aborted);
});

test('what ended without being stopped is of use to the next request, what was stopped is not', () => {
  const first = new SearchStop();
  const { native } = first;
  first.release();
  const second = new SearchStop();
  expect(second.native).toBe(native);
  second.stop();
  second.release();
  expect(new SearchStop().native).not.toBe(native);
});
