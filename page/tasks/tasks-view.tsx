import { useSignal } from '@preact/signals';
import { api, type Batch, type Task, type TaskStatus } from '../api/client.js';
import { messageOf, useLoaded } from '../shell/load.js';
import { Empty, Problem, Progress } from '../shell/notice.js';
import { batches } from './watch-batches.js';
import { ago, lasted, worded } from './wording.js';

const PAGE_SIZE = 30;
const STATUSES: readonly (TaskStatus | '')[] = [
  '',
  'enqueued',
  'processing',
  'succeeded',
  'failed',
  'canceled',
];

/** The batch that runs, and the tasks, newest first, live. */
export function TasksView() {
  const status = useSignal<TaskStatus | ''>('');
  const limit = useSignal(PAGE_SIZE);
  const query = new URLSearchParams({ limit: String(limit.value) });
  if (status.value !== '') query.set('statuses', status.value);
  const running = [...batches.value.values()].filter(({ finishedAt }) => finishedAt === null);
  const tasks = useLoaded(() => api.tasks(query), [String(query), batches.value]);
  const { results = [], total = 0 } = tasks.value.value ?? {};
  return (
    <>
      <div class="heading">
        <h1>Tasks</h1>
        <p class="muted">{total.toLocaleString('en')} in all</p>
        <select
          aria-label="Status"
          value={status.value}
          onChange={(event) => {
            status.value = event.currentTarget.value as TaskStatus | '';
          }}
        >
          {STATUSES.map((one) => (
            <option key={one} value={one}>
              {one === '' ? 'Any status' : worded(one)}
            </option>
          ))}
        </select>
      </div>
      <Problem text={tasks.problem.value} />
      <section aria-label="Running" aria-live="polite">
        {running.map((batch) => (
          <RunningBatch key={batch.uid} batch={batch} />
        ))}
      </section>
      {tasks.value.value !== undefined && results.length === 0 && <Empty title="No tasks" />}
      <ul class="tasks">
        {results.map((task) => (
          <TaskLine key={task.uid} task={task} onChange={tasks.reload} />
        ))}
      </ul>
      {results.length < total && (
        <button
          type="button"
          class="more"
          onClick={() => {
            limit.value += PAGE_SIZE;
          }}
        >
          Show more
        </button>
      )}
    </>
  );
}

function RunningBatch({ batch }: { batch: Batch }) {
  const { uid, progress, stats } = batch;
  const step = progress?.steps.at(-1);
  return (
    <div class="card running">
      <strong>
        Batch {uid}: {stats.totalNbTasks} {stats.totalNbTasks === 1 ? 'task' : 'tasks'} of{' '}
        {Object.keys(stats.indexUids).join(', ') || 'the server'}
      </strong>
      <Progress percentage={progress?.percentage ?? 0} label={`Progress of batch ${uid}`} />
      {step !== undefined && (
        <span class="muted">
          {step.currentStep}, {step.finished.toLocaleString('en')} of{' '}
          {step.total.toLocaleString('en')}
        </span>
      )}
    </div>
  );
}

function TaskLine({ task, onChange }: { task: Task; onChange: () => void }) {
  const problem = useSignal('');
  const cancel = async (): Promise<void> => {
    try {
      await api.cancelTask(task.uid);
      onChange();
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  return (
    <li>
      <details>
        <summary>
          <span class={`status ${task.status}`}>{worded(task.status)}</span>
          <span class="number">{task.uid}</span>
          <span class="what">
            {worded(task.type)}
            {task.indexUid !== null && <strong> {task.indexUid}</strong>}
          </span>
          <time class="muted" datetime={task.enqueuedAt} title={task.enqueuedAt}>
            {ago(task.enqueuedAt)}
          </time>
          <span class="muted">{lasted(task.duration)}</span>
        </summary>
        <pre class="code">{JSON.stringify(task, null, 2)}</pre>
      </details>
      {task.error !== null && <p class="problem">{task.error.message}</p>}
      {task.status === 'enqueued' && (
        <button type="button" class="quiet" onClick={() => void cancel()}>
          Cancel task {task.uid}
        </button>
      )}
      <Problem text={problem.value} />
    </li>
  );
}
