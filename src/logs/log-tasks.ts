import type { TaskEvents } from '../tasks/task-events.js';
import type { Logs } from './logs.js';

/** A queue that stalls tries again every second, and says so once in this time. */
const REPEAT_MS = 60_000;

/** Logs the batches of a queue as they start and end, and what keeps it from going on. */
export function logBatches(events: TaskEvents, logs: Logs): void {
  let startedAt = 0;
  let stalled: { readonly reason: string; readonly at: number } | undefined;
  const logStall = (err: unknown) => {
    const reason = String(err);
    const now = performance.now();
    if (stalled?.reason === reason && now - stalled.at < REPEAT_MS) return;
    stalled = { reason, at: now };
    logs.log('error', 'tasks', 'the task queue cannot go on, and tries again', { err });
  };
  events.subscribe((event) => {
    const { kind, batchUid, taskUids } = event;
    const tasks = taskUids.length;
    const batch = { batchUid, tasks };
    const ended = () => ({ ...batch, durationMs: Math.round(performance.now() - startedAt) });
    switch (kind) {
      case 'enqueued':
        return logs.log('debug', 'tasks', 'enqueued', { tasks, lastUid: taskUids.at(-1) });
      case 'started':
        startedAt = performance.now();
        return logs.log('debug', 'tasks', 'batch started', batch);
      case 'stalled':
        return logStall(event.reason);
      case 'interrupted':
        return logs.log('info', 'tasks', 'batch interrupted', ended());
      default:
        stalled = undefined;
        logs.log('info', 'tasks', 'batch ended', ended());
    }
  });
}
