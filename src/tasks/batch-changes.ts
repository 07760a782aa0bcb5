import { type ChangeInterest, ChangeListeners } from './change-listeners.js';
import type { ChangeStream } from './change-stream.js';
import type { RunningBatch } from './running-batch.js';
import type { Batch } from './task.js';
import type { TaskEvent, TaskEvents } from './task-events.js';
import { runningBatchView } from './task-view.js';

/** How often the progress of the running batch is looked at while somebody listens. */
const LOOK_EVERY_MS = 50;

/** What changes of batches are read from. */
export interface BatchChangesParts {
  readonly events: TaskEvents;
  readonly running: () => RunningBatch | undefined;
  readonly ended: (uid: number) => Promise<Batch | undefined>;
}

/**
 * Tells listeners of batches: when one starts, when its progress changes, when it ends. Costs
 * nothing while nobody listens; the progress is looked at once, however many listen.
 */
export class BatchChanges {
  readonly #parts: BatchChangesParts;
  readonly #listeners = new ChangeListeners<Batch>(() => this.#watch());
  /** The ends that are being read, one after another, so that batches keep their order. */
  #reading: Promise<void> = Promise.resolve();
  #nReading = 0;
  /** The batch whose end was told of: it may still clean up after itself. */
  #endedUid: number | undefined;
  #lastProgress = '';

  constructor(parts: BatchChangesParts) {
    this.#parts = parts;
  }

  /** The states of batches from now on. */
  follow(interest: ChangeInterest<Batch>): ChangeStream {
    return this.#listeners.follow(interest);
  }

  /** Ends every stream. */
  end(): void {
    this.#listeners.end();
  }

  #watch(): () => void {
    const unsubscribe = this.#parts.events.subscribe((event) => this.#tell(event));
    const looking = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
    return () => {
      unsubscribe();
      clearInterval(looking);
    };
  }

  #tell({ kind, batchUid }: TaskEvent): void {
    if (batchUid === undefined) return;
    if (kind === 'started') {
      this.#endedUid = undefined;
      this.#lastProgress = '';
      this.#look(true);
    } else if (kind === 'ended') {
      this.#endedUid = batchUid;
      this.#inTurn(() => this.#parts.ended(batchUid));
    }
  }

  /** Publishes the running batch if its progress is another one. */
  #look(isStart = false): void {
    const running = this.#parts.running();
    if (running === undefined || running.uid === this.#endedUid) return;
    // Where the ends of batches wait to be read, another state would only be soon out of date.
    if (this.#nReading > 0 && !isStart) return;
    const batch = runningBatchView(running);
    const progress = JSON.stringify(batch.progress);
    if (progress === this.#lastProgress) return;
    this.#lastProgress = progress;
    if (this.#nReading === 0) this.#listeners.publish(batch);
    else this.#inTurn(async () => batch);
  }

  #inTurn(read: () => Promise<Batch | undefined>): void {
    this.#nReading += 1;
    this.#reading = this.#reading
      .then(read)
      .then((batch) => batch && this.#listeners.publish(batch))
      // What cannot be read is not told of; the next change is.
      .catch(() => undefined)
      .then(() => {
        this.#nReading -= 1;
      });
  }
}
