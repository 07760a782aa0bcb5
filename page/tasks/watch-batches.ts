import { signal } from '@preact/signals';
import { api, type Batch, Refusal } from '../api/client.js';

const POLL_MS = 1000;
const AGAIN_MS = 2000;
const POLLED = 20;
/** How many batches are remembered. */
const KEPT = 100;

/** Newest state of each batch that was seen running, by uid. */
export const batches = signal<ReadonlyMap<number, Batch>>(new Map());
/** How many batches ended while the page was open: views that show documents ask again when it grows. */
export const finishedBatches = signal(0);

/** Keeps `batches` current until the returned function is called. */
export function watchBatches(): () => void {
  const controller = new AbortController();
  void watch(controller.signal);
  return () => controller.abort();
}

async function watch(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const batch of api.batchStream(signal)) take(batch);
    } catch (error) {
      if (signal.aborted) return;
      // A server without the stream, or a key that may not watch.
      if (error instanceof Refusal && error.isAboutKey) return;
      if (error instanceof Refusal) return poll(signal);
    }
    await pause(AGAIN_MS);
  }
}

async function poll(signal: AbortSignal): Promise<void> {
  for (let round = 0; !signal.aborted; round++) {
    try {
      const { results } = await api.batches(POLLED);
      for (const batch of results.toReversed()) take(batch, round === 0);
    } catch (error) {
      if (error instanceof Refusal) return;
    }
    await pause(POLL_MS);
  }
}

/** Keeps the state of a batch; one that had ended before the page was open is no news. */
function take(batch: Batch, isOld = false): void {
  if (batches.value.get(batch.uid)?.finishedAt != null) return;
  const newest = [...batches.value, [batch.uid, batch] as const].slice(-KEPT);
  batches.value = new Map(newest);
  if (batch.finishedAt !== null && !isOld) finishedBatches.value++;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The batch of an index that runs now. */
export function runningBatch(indexUid: string): Batch | undefined {
  return [...batches.value.values()].find(
    ({ finishedAt, stats }) => finishedAt === null && indexUid in stats.indexUids,
  );
}
