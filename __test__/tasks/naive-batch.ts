import type { IndexFacts } from '../../src/tasks/next-batch.js';
import type { QueuedTask } from '../../src/tasks/queued-task.js';

/**
 * The rules of batching, read one by one from the table for a queue without global tasks: after
 * each candidate, all of the batch is looked at again. Shares no code with the real choice.
 */
export function naiveBatch(queue: readonly QueuedTask[], facts: IndexFacts): number[] | undefined {
  const [first] = queue;
  if (first === undefined) return undefined;
  if (first.role === 'alone' || first.role === 'indexDeletion') return [first.uid];
  if (conflicts(first.primaryKey, facts.primaryKey)) return [first.uid];
  const batch = [first];
  const index = first.indexUid ?? '';
  for (const next of queue.slice(1).filter(({ mentions }) => mentions.includes(index))) {
    if (!joins(batch, next, facts)) break;
    batch.push(next);
    if (next.role === 'indexDeletion') break;
  }
  return batch.map(({ uid }) => uid);
}

function joins(batch: readonly QueuedTask[], next: QueuedTask, facts: IndexFacts): boolean {
  const has = (role: string) => batch.some((task) => task.role === role);
  if (next.role === 'alone') return false;
  if (!keysAgree(batch, next, facts)) return false;
  const rights = batch.map(({ mayCreateIndex }) => mayCreateIndex).find((may) => may !== null);
  if (!facts.exists && rights === false && next.mayCreateIndex === true) return false;
  if (next.role === 'indexDeletion') return true;
  const cleared = has('clear');
  const withSettings = has('settings');
  switch (next.role) {
    case 'settings':
      return withSettings;
    case 'clear':
      return true;
    case 'deletionByIds':
    case 'deletionByFilter':
      if (withSettings) return cleared;
      if (cleared || next.role === 'deletionByIds') return true;
      return !has('import');
    default: {
      if (withSettings || cleared) return false;
      const onlyIds = batch.every(({ role }) => role === 'deletionByIds');
      return !onlyIds || facts.exists || next.mayCreateIndex === false;
    }
  }
}

function keysAgree(batch: readonly QueuedTask[], next: QueuedTask, facts: IndexFacts): boolean {
  if (next.primaryKey === null) return true;
  if (facts.primaryKey !== null) return next.primaryKey === facts.primaryKey;
  const imports = batch.filter(({ role }) => role === 'import');
  const named = imports.map(({ primaryKey }) => primaryKey).find((key) => key !== null);
  return imports.length === 0 || named === next.primaryKey;
}

function conflicts(key: string | null, known: string | null): boolean {
  return key !== null && known !== null && key !== known;
}
