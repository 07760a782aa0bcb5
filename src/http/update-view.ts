import type { IndexUpdate, Task } from '../tasks/task.js';

/** A task as the earlier shape shows it: an update of an index. */
export function updateView({ task, isPartial }: IndexUpdate): object {
  const isProcessed = task.finishedAt !== null;
  return {
    status: isProcessed ? 'processed' : 'enqueued',
    updateId: task.uid,
    type: updateType(task, isPartial),
    ...(isProcessed ? { duration: secondsOf(task.duration) } : {}),
    enqueuedAt: task.enqueuedAt,
    ...(isProcessed ? { processedAt: task.finishedAt } : {}),
    ...(task.error === null ? {} : { error: task.error }),
  };
}

function updateType({ type, details = {} }: Task, isPartial: boolean): object {
  switch (type) {
    case 'documentAdditionOrUpdate':
      return {
        name: isPartial ? 'DocumentsPartial' : 'DocumentsAddition',
        number: details.receivedDocuments,
      };
    case 'documentDeletion':
      return 'providedIds' in details
        ? { name: 'DocumentsDeletion', number: details.deletedDocuments ?? details.providedIds }
        : { name: 'ClearAll' };
    case 'settingsUpdate':
      return { name: 'Settings', settings: details };
    default:
      return { name: type.charAt(0).toUpperCase() + type.slice(1) };
  }
}

/** The seconds of an ISO 8601 duration of days and seconds; 0 when a task never started. */
export function secondsOf(duration: string | null): number {
  const parts = /^P(?:(\d+)D)?T([\d.]+)S$/.exec(duration ?? '');
  return parts === null ? 0 : Number(parts[1] ?? 0) * 86_400 + Number(parts[2]);
}
