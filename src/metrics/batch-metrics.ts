import type { Batch, Page } from '../tasks/task.js';
import type { TaskFilter } from '../tasks/task-filter.js';
import type { Family, Sample } from './exposition.js';

/** Finished batches that are shown. */
const SHOWN_BATCHES = 10;

/** What lists batches. */
interface Batches {
  listBatches(filter: TaskFilter): Promise<Page<Batch>>;
}

/** The running batch, step by step, and the batches that ended last. */
export async function batchFamilies(batches: Batches): Promise<Family[]> {
  const [running, finished] = await Promise.all([
    batches.listBatches({ statuses: ['processing'], limit: 1 }),
    batches.listBatches({ statuses: ['succeeded', 'failed', 'canceled'], limit: SHOWN_BATCHES }),
  ]);
  const ended = finished.results.filter(({ finishedAt }) => finishedAt !== null);
  return [
    family(
      'batch_running_progress_trace',
      'How far each step of the running batch is, from 0 to 1',
      running.results.flatMap(progressOf),
    ),
    family(
      'last_finished_batches_progress_trace_ms',
      'Milliseconds that each step of the last batches took',
      ended.flatMap(traceOf),
    ),
    family(
      'last_indexed_documents_count',
      'Documents that the last batches indexed',
      ended.flatMap(indexedBy),
    ),
    family(
      'last_indexed_documents_duration_ms',
      'Milliseconds that the last batches with documents took',
      ended.flatMap(durationOf),
    ),
  ];
}

const family = (name: string, help: string, samples: Sample[]): Family => ({
  name,
  help,
  kind: 'gauge',
  samples,
});

function progressOf({ uid, progress }: Batch): Sample[] {
  return (progress?.steps ?? []).map(({ currentStep, finished, total }) => ({
    labels: { batch_uid: String(uid), step_name: currentStep },
    value: total === 0 ? 0 : finished / total,
  }));
}

function traceOf({ uid, stats }: Batch): Sample[] {
  return Object.entries(stats.progressTrace ?? {}).map(([step, took]) => ({
    labels: { batch_uid: String(uid), step_name: step },
    value: Number.parseFloat(took),
  }));
}

/** All documents of a batch are of one index. */
function indexedBy({ uid, details, stats }: Batch): Sample[] {
  const [index] = Object.keys(stats.indexUids);
  const { indexedDocuments } = details as { indexedDocuments?: number | null };
  if (index === undefined || typeof indexedDocuments !== 'number') return [];
  return [{ labels: { batch_uid: String(uid), index }, value: indexedDocuments }];
}

function durationOf(batch: Batch): Sample[] {
  const { uid, startedAt, finishedAt } = batch;
  if (finishedAt === null || indexedBy(batch).length === 0) return [];
  const value = Date.parse(finishedAt) - Date.parse(startedAt);
  return [{ labels: { batch_uid: String(uid) }, value }];
}
