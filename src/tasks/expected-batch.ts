import type { EngineIndex } from '../native/engine-index.js';
import type { BatchContext } from './batch-context.js';

/**
 * Tells an index when more tasks on it wait than its running batch holds, until the returned function
 * is called: what another batch would merge again need not be merged now.
 */
export function tellOfMore(
  index: Pick<EngineIndex, 'expectMore'>,
  indexUid: string,
  nTasks: number,
  { batchUid, pending, events }: Pick<BatchContext, 'batchUid' | 'pending' | 'events'>,
): () => void {
  const tell = () => {
    if (pending.countOf(indexUid) > nTasks) index.expectMore(batchUid);
  };
  tell();
  return events.subscribe(({ kind }) => {
    if (kind === 'enqueued') tell();
  });
}
