import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../errors/api-error.js';
import { reasonOf } from '../errors/error-reason.js';
import { systemError } from '../errors/system-error.js';
import { BatchAborted } from '../native/engine-index.js';
import type { FinishedBatch } from '../native/store.js';
import type { BatchContext } from './batch-context.js';
import { type BatchEnd, failed } from './batch-end.js';
import { type BatchMember, batchDetails, batchStats, takenDetails } from './batch-summary.js';
import { type BatchLimits, type IndexFacts, type NextBatch, nextBatch } from './next-batch.js';
import { Progress } from './progress.js';
import { runBatch } from './run-batch.js';
import type { RunningBatch } from './running-batch.js';
import { shownDetails } from './task-details.js';

/** How long to wait before a batch whose end could not be stored is stored again. */
const RETRY_MS = 1000;

/** What the scheduler works with. */
export interface SchedulerParts extends Omit<BatchContext, 'batchUid' | 'progress' | 'signal'> {
  readonly limits: BatchLimits;
}

/** The identity of a batch that runs. */
interface BatchStart {
  readonly uid: number;
  readonly startedAt: string;
}

/**
 * Picks, runs and ends batches, one at a time. A failure of a batch fails its tasks; nothing that
 * a batch does stops the queue.
 */
export class Scheduler {
  readonly #parts: SchedulerParts;
  #running: RunningBatch | undefined;
  /** Whether an upgrade failed: no batch may meet data that is half of another version. */
  #isHeld = false;
  #loop: Promise<void> | undefined;
  #stopping = new AbortController();
  #wake: () => void = () => undefined;
  #unsubscribe: () => void = () => undefined;
  #beforeBatch: () => Promise<void> = async () => undefined;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
  }

  /** The batch that runs. */
  get running(): RunningBatch | undefined {
    return this.#running;
  }

  /**
   * Starts to work on the queue once what the process before left is ended; `beforeBatch` is called
   * before each batch is chosen.
   */
  start(recovered: Promise<void>, beforeBatch: () => Promise<void>): void {
    this.#beforeBatch = beforeBatch;
    this.#unsubscribe = this.#parts.events.subscribe(({ kind }) => {
      if (kind === 'enqueued') this.#wake();
    });
    this.#loop ??= this.#work(recovered);
  }

  /** Lets the running batch end, unless it may take very long and can be run again, then stops. */
  async stop(): Promise<void> {
    this.#unsubscribe();
    this.#stopping.abort();
    if (this.#running?.isStoppedByClosing === true) this.#running.abort();
    this.#wake();
    await this.#loop;
  }

  async #work(recovered: Promise<void>): Promise<void> {
    await recovered.catch((reason) => this.#stall(reason));
    while (!this.#stopping.signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await this.#beforeBatch().catch(() => undefined);
      const batch = this.#nextBatch();
      if (batch === undefined) await woken;
      else await this.#runOne(batch).catch((reason) => this.#stall(reason));
    }
  }

  #nextBatch(): NextBatch | undefined {
    if (this.#isHeld) return undefined;
    return nextBatch(this.#parts.pending, (uid) => this.#facts(uid), this.#parts.limits);
  }

  #facts(indexUid: string): IndexFacts {
    const row = this.#parts.registry.row(indexUid);
    return { exists: row !== undefined, primaryKey: row?.primaryKey ?? null };
  }

  async #runOne(batch: NextBatch): Promise<void> {
    const { store, registry, events } = this.#parts;
    const start = await store.nextBatch();
    if (this.#isOvertaken(batch)) return;
    const progress = new Progress();
    progress.enterPhases('processing tasks', 2);
    const abort = new AbortController();
    const { signal } = abort;
    this.#begin(batch, start, progress, abort);
    let hasEnded = false;
    try {
      const end = await this.#run(batch, { ...this.#parts, batchUid: start.uid, progress, signal });
      if (end !== undefined) {
        await this.end(batch, start, end, progress);
        hasEnded = true;
        const hasFailed = end.outcomes.some(({ status }) => status === 'failed');
        this.#isHeld = batch.type === 'upgradeDatabase' && hasFailed;
      }
    } finally {
      this.#running = undefined;
      registry.indexing = undefined;
      store.setCurrentBatch(null);
      const taskUids = batch.tasks.map(({ uid }) => uid);
      if (!hasEnded) events.emit({ kind: 'interrupted', batchUid: start.uid, taskUids });
    }
  }

  /** Whether a cancelation came since the batch was chosen, when nothing ran that it could stop. */
  #isOvertaken({ type }: NextBatch): boolean {
    const [cancelation] = this.#parts.pending.ofType('taskCancelation');
    return type !== 'taskCancelation' && cancelation !== undefined;
  }

  #begin(
    batch: NextBatch,
    start: BatchStart,
    progress: Progress,
    controller: AbortController,
  ): void {
    const { store, registry, events } = this.#parts;
    const taskUids = batch.tasks.map(({ uid }) => uid);
    const members = batch.tasks.map(({ type, indexUid }): BatchMember => {
      return { type, indexUid, status: 'processing', details: undefined };
    });
    const { strategy } = batch;
    const stats = batchStats(members);
    const shown = { details: {}, stats: { ...stats }, strategy };
    store.setCurrentBatch({ ...start, tasks: taskUids, ...shown });
    registry.indexing = batch.indexUid ?? undefined;
    const abort = () => controller.abort();
    const { indexUid } = batch;
    // Dumps, exports and the like change nothing here: they can be begun again.
    const isStoppedByClosing = this.#parts.runners[batch.type] !== undefined;
    if (isStoppedByClosing && this.#stopping.signal.aborted) abort();
    const about = { indexUid, taskUids, stats, strategy };
    this.#running = { ...start, ...about, progress, abort, isStoppedByClosing };
    const { uid: batchUid, startedAt } = start;
    events.emit({ kind: 'started', batchUid, startedAt, taskUids });
  }

  /** The end of a batch; `undefined` when it was interrupted and its tasks wait again. */
  async #run(batch: NextBatch, context: BatchContext): Promise<BatchEnd | undefined> {
    try {
      return await runBatch(batch, context);
    } catch (error) {
      if (error instanceof BatchAborted) return undefined;
      const tasks = await this.#parts.store.endableTasks(batch.tasks.map(({ uid }) => uid));
      const reason = taskErrorOf(error);
      return { outcomes: tasks.map((task) => failed(task, reason)), registry: [] };
    }
  }

  /** Stores the end of a batch, again and again until it is stored or the queue stops. */
  async end(
    batch: Pick<NextBatch, 'strategy'>,
    start: BatchStart,
    end: BatchEnd,
    progress: Progress,
  ): Promise<void> {
    const { store, registry, pending, events } = this.#parts;
    progress.nextPhase('writing tasks to disk');
    const payloads = this.#payloadsOf(end);
    // The engine is done: who sees a task ended must not see its index at work.
    registry.indexing = undefined;
    const write = (from: BatchEnd) =>
      this.#persist(() => store.finishBatch(this.#finished(batch, start, from, progress)));
    const stored = await write(end).then(
      ({ finishedAt }) => ({ end, finishedAt }),
      async (error) => {
        const refused = await this.#refusedEnd(end, error);
        return { end: refused, finishedAt: (await write(refused)).finishedAt };
      },
    );
    registry.apply(stored.end.registry, stored.finishedAt);
    const taskUids = stored.end.outcomes.map(({ uid }) => uid);
    for (const uid of taskUids) pending.remove(uid);
    store.setCurrentBatch(null);
    events.emit({ kind: 'ended', batchUid: start.uid, taskUids });
    await this.#removeFiles(stored.end, payloads);
  }

  #finished(
    { strategy }: Pick<NextBatch, 'strategy'>,
    start: BatchStart,
    end: BatchEnd,
    progress: Progress,
  ): FinishedBatch {
    const members = end.outcomes.map(({ uid, status, details }): BatchMember => {
      const task = this.#parts.pending.get(uid);
      const shown = details === undefined ? undefined : shownDetails(details);
      return { type: task?.type ?? '', indexUid: task?.indexUid ?? null, status, details: shown };
    });
    const { outcomes, registry, forgottenTasks } = end;
    const details = batchDetails(members);
    const changed = outcomes.map(({ uid }) => ({ uid, ...this.#parts.pending.get(uid) }));
    const stats = { ...batchStats(members, progress.trace()) };
    const changes = { tasks: [...outcomes], registry: [...registry], forgottenTasks };
    return { ...start, details, takenDetails: takenDetails(changed), stats, strategy, ...changes };
  }

  /** What is left of an end that the store cannot take: its tasks failed, nothing else changes. */
  async #refusedEnd(end: BatchEnd, error: unknown): Promise<BatchEnd> {
    if (this.#stopping.signal.aborted) throw error;
    const tasks = await this.#parts.store.endableTasks(end.outcomes.map(({ uid }) => uid));
    const created = end.registry.flatMap((change) =>
      change.op === 'create' ? [change.directory] : [],
    );
    const outcomes = tasks.map((task) => failed(task, taskErrorOf(error)));
    return { outcomes, registry: [], discarded: created };
  }

  /** Writes again and again while the disk is full or broken; other refusals are final. */
  async #persist<T>(write: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (this.#stopping.signal.aborted || !(error instanceof ApiError)) throw error;
        if (error.code === 'internal') throw error;
        await this.#stall(error);
      }
    }
  }

  /** Payload files of the ended tasks, which are forgotten with them. */
  #payloadsOf(end: BatchEnd): string[] {
    return end.outcomes.flatMap(({ uid }) => this.#parts.pending.get(uid)?.payloadFile ?? []);
  }

  async #removeFiles(end: BatchEnd, payloads: readonly string[]): Promise<void> {
    const { folder, registry } = this.#parts;
    try {
      for (const name of payloads) await rm(folder.payloadPath(name), { force: true });
      for (const directory of end.discarded ?? []) await registry.discard(directory);
    } catch {
      // What is left behind is removed when the folder is opened next.
    }
  }

  /** Says what keeps the queue from going on, and waits a little. */
  async #stall(reason: unknown): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    this.#parts.events.emit({ kind: 'stalled', batchUid: undefined, taskUids: [], reason });
    await delay(RETRY_MS, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }
}

function taskErrorOf(thrown: unknown): { code: string; message: string } {
  const error = systemError(thrown) ?? thrown;
  if (error instanceof ApiError && error.code !== 'internal') {
    return { code: error.code, message: error.message };
  }
  const message = reasonOf(error);
  return {
    code: 'internal',
    message: `An unexpected crash occurred when processing the task: ${message}`,
  };
}
