import { instanceClosed } from '../errors/instance-closed.js';
import { taskNotFound } from '../errors/not-found.js';
import { timerMs } from '../waiting/time-limit.js';
import { whenAborted } from '../waiting/when-aborted.js';
import { isFinished, type Task } from './task.js';
import type { TaskEvents } from './task-events.js';

/** How long to wait for a task, which goes on whatever becomes of the waiting. */
export interface WaitLimits {
  /** Milliseconds, after which a `TimeoutError` is thrown; without end when absent. */
  timeoutMs?: number | undefined;
  /** Aborted, its reason is thrown. */
  signal?: AbortSignal | undefined;
}

/** Those who wait until tasks have ended. */
export class TaskWaiting {
  readonly #events: TaskEvents;
  /** Fails those who wait. */
  readonly #waiting = new Set<(reason: unknown) => void>();
  #isClosed = false;

  constructor(events: TaskEvents) {
    this.#events = events;
  }

  /** Whether nobody may wait any more: no batch will be run. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The task of a uid, which `read` reads, once it has ended. */
  async waitFor(
    uid: number,
    read: () => Promise<Task | undefined>,
    { signal, timeoutMs }: WaitLimits,
  ): Promise<Task> {
    const signals = signal === undefined ? [] : [signal];
    if (timeoutMs !== undefined) signals.push(AbortSignal.timeout(timerMs(timeoutMs)));
    for (;;) {
      const ended = this.#nextEnd(uid, signals);
      const task = await read().catch((error) => {
        ended.cancel();
        throw error;
      });
      if (task === undefined || isFinished(task.status)) {
        ended.cancel();
        if (task !== undefined) return task;
        throw taskNotFound(uid);
      }
      await ended.promise;
    }
  }

  /** Fails everybody who waits. */
  close(): void {
    this.#isClosed = true;
    for (const fail of [...this.#waiting]) fail(instanceClosed());
  }

  /** Resolves when a batch that holds the task ends. */
  #nextEnd(uid: number, signals: readonly AbortSignal[]) {
    let cancel: () => void = () => undefined;
    const promise = new Promise<void>((resolve, reject) => {
      const unsubscribe = this.#events.subscribe(({ kind, taskUids }) => {
        if (kind !== 'ended' || !taskUids.includes(uid)) return;
        cancel();
        resolve();
      });
      const fail = (reason: unknown) => {
        cancel();
        reject(reason);
      };
      const abort = () => fail(signals.find(({ aborted }) => aborted)?.reason);
      const listening = signals.map((signal) => whenAborted(signal, abort));
      cancel = () => {
        unsubscribe();
        this.#waiting.delete(fail);
        for (const stop of listening) stop();
      };
      this.#waiting.add(fail);
      if (this.#isClosed) fail(instanceClosed());
      if (signals.some(({ aborted }) => aborted)) abort();
    });
    promise.catch(() => undefined);
    return { promise, cancel: () => cancel() };
  }
}
