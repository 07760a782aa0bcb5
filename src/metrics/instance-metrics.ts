import type { IndexInfo } from '../indexes/index-registry.js';
import { readEach } from '../indexes/read-each.js';
import type { Batch, Page, Task } from '../tasks/task.js';
import type { TaskCounts } from '../tasks/task-counts.js';
import type { TaskFilter } from '../tasks/task-filter.js';
import { batchFamilies } from './batch-metrics.js';
import { type Family, gauge } from './exposition.js';

/** What is read of an instance to measure it. */
export interface Measured {
  readonly indexes: {
    list(offset: number, limit: number): Promise<{ results: IndexInfo[] }>;
    reader(uid: string): Promise<{ numberOfDocuments(): Promise<number> } | undefined>;
    sizes(): Promise<{ databaseSize: number; usedDatabaseSize: number }>;
  };
  readonly tasks: {
    list(filter: TaskFilter): Promise<Page<Task>>;
    listBatches(filter: TaskFilter): Promise<Page<Batch>>;
    counts(): Promise<TaskCounts>;
    /** Bytes that the queue takes, and that it could still take. */
    space(): Promise<{ used: number; free: number }>;
  };
}

/** What an instance holds and does at this moment. Reads the figures of every index. */
export async function instanceFamilies({ indexes, tasks }: Measured): Promise<Family[]> {
  const families = await Promise.all([indexFamilies(indexes), queueFamilies(tasks)]);
  return families.flat();
}

async function indexFamilies(indexes: Measured['indexes']): Promise<Family[]> {
  const { results } = await indexes.list(0, Number.MAX_SAFE_INTEGER);
  const sizes = await indexes.sizes();
  const uids = results.map(({ uid }) => uid);
  const documents = await readEach(indexes, uids, (reader) => reader.numberOfDocuments());
  const changes = results.map(({ updatedAt }) => Date.parse(updatedAt));
  const lastUpdate = changes.reduce((last, change) => Math.max(last, change), 0);
  return [
    gauge('db_size_bytes', 'Bytes on disk', sizes.databaseSize),
    gauge('used_db_size_bytes', 'Bytes on disk that are in use', sizes.usedDatabaseSize),
    gauge('index_count', 'Indexes', results.length),
    {
      name: 'index_docs_count',
      help: 'Documents of an index',
      kind: 'gauge',
      samples: uids.map((uid) => ({ labels: { index: uid }, value: documents.get(uid) ?? 0 })),
    },
    gauge('last_update', 'Last change of an index, in Unix seconds', Math.floor(lastUpdate / 1000)),
  ];
}

async function queueFamilies(tasks: Measured['tasks']): Promise<Family[]> {
  const [counts, oldest, space, batches] = await Promise.all([
    tasks.counts(),
    tasks.list({ statuses: ['enqueued'], reverse: true, limit: 1 }),
    tasks.space(),
    batchFamilies(tasks),
  ]);
  const samples = Object.entries(counts).flatMap(([kind, byValue]) =>
    Object.entries(byValue as Record<string, number>).map(([value, count]) => ({
      labels: { kind, value },
      value: count,
    })),
  );
  return [
    { name: 'nb_tasks', help: 'Tasks by status, type and index', kind: 'gauge', samples },
    gauge('is_indexing', 'Whether a batch is being run', counts.statuses.processing ? 1 : 0),
    gauge('task_queue_latency_seconds', 'Age of the oldest waiting task', ageOf(oldest.results[0])),
    gauge('task_queue_max_size', 'Bytes that the queue may take', space.used + space.free),
    gauge('task_queue_used_size', 'Bytes that the queue takes', space.used),
    gauge(
      'task_queue_size_until_stop_registering',
      'Bytes until the queue takes no more tasks',
      space.free,
    ),
    ...batches,
  ];
}

function ageOf(task: Task | undefined): number {
  return task === undefined ? 0 : Math.max(0, Date.now() - Date.parse(task.enqueuedAt)) / 1000;
}
