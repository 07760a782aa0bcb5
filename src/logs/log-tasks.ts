import type { TaskEvents } from '../tasks/task-events.js';
import type { Logs } from './logs.js';

/** Logs the batches of a queue as they start and end. */
export function logBatches(events: TaskEvents, logs: Logs): void {
  let startedAt = 0;
  events.subscribe(({ kind, batchUid, taskUids }) => {
    if (kind === 'enqueued') {
      logs.log('debug', 'tasks', 'enqueued', { tasks: taskUids.length, lastUid: taskUids.at(-1) });
    } else if (kind === 'started') {
      startedAt = performance.now();
      logs.log('debug', 'tasks', 'batch started', { batchUid, tasks: taskUids.length });
    } else {
      const durationMs = Math.round(performance.now() - startedAt);
      logs.log('info', 'tasks', 'batch ended', { batchUid, tasks: taskUids.length, durationMs });
    }
  });
}
