import { ApiError } from '../errors/api-error.js';
import type { SearchStop } from '../native/search-stop.js';

/** How many reads run side by side and how many may wait. */
export interface SearchQueueOptions {
  readonly running: number;
  readonly waiting: number;
  /** A read that still waits after so long is refused: its client has given up, too. */
  readonly dropAfterMs?: number;
}

/** A read that waits for its turn. */
interface Waiting {
  readonly start: () => void;
  readonly drop: (reason: Error) => void;
  readonly since: number;
}

/**
 * Bounds how many searches and document reads run at once. When too many wait, one of them, chosen
 * at random, is refused: under overload every client then has the same chance to be served.
 */
export class SearchQueue {
  private readonly options: SearchQueueOptions;
  private readonly random: () => number;
  private nRunning = 0;
  private readonly queue: Waiting[] = [];

  constructor(options: SearchQueueOptions, random: () => number = Math.random) {
    this.options = options;
    this.random = random;
  }

  /** How many reads may wait. */
  get size(): number {
    return this.options.waiting;
  }

  /** How many reads run. */
  get running(): number {
    return this.nRunning;
  }

  /** How many reads wait. */
  get waiting(): number {
    return this.queue.length;
  }

  /**
   * Runs a read when there is room, and tells it how many milliseconds it has waited for that. One
   * that is stopped while it waits gives its place to the others.
   */
  run<T>(read: (waitedMs: number) => Promise<T>, stop?: SearchStop): Promise<T> {
    if (this.nRunning >= this.options.running) return this.runLater(read, stop);
    this.nRunning += 1;
    return this.runNow(read, 0);
  }

  private async runLater<T>(
    read: (waitedMs: number) => Promise<T>,
    stop: SearchStop | undefined,
  ): Promise<T> {
    const since = performance.now();
    await this.turn(stop?.signal);
    return this.runNow(read, performance.now() - since);
  }

  private async runNow<T>(read: (waitedMs: number) => Promise<T>, waitedMs: number): Promise<T> {
    try {
      return await read(waitedMs);
    } finally {
      this.next();
    }
  }

  /** Waits until a read that ends gives its place to this one. */
  private async turn(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.queue.length >= this.options.waiting) this.dropOne();
    let leave = (): void => undefined;
    try {
      await new Promise<void>((start, drop) => {
        const waiting = { start, drop, since: performance.now() };
        this.queue.push(waiting);
        leave = () => this.leave(waiting, signal?.reason);
        signal?.addEventListener('abort', leave);
      });
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  private leave(waiting: Waiting, reason: Error): void {
    const at = this.queue.indexOf(waiting);
    if (at === -1) return;
    this.queue.splice(at, 1);
    waiting.drop(reason);
  }

  private dropOne(): void {
    const [dropped] = this.queue.splice(Math.floor(this.random() * this.queue.length), 1);
    dropped?.drop(this.refusal());
  }

  private refusal(): ApiError {
    return new ApiError(
      'too_many_search_requests',
      `Too many search requests running at the same time: ${this.options.waiting}. Retry after 10s.`,
    );
  }

  /** Gives the place of a read that ended to the next one that has not waited for too long. */
  private next(): void {
    const { dropAfterMs = Number.POSITIVE_INFINITY } = this.options;
    for (let next = this.queue.shift(); next !== undefined; next = this.queue.shift()) {
      if (performance.now() - next.since < dropAfterMs) {
        next.start();
        return;
      }
      next.drop(this.refusal());
    }
    this.nRunning -= 1;
  }
}
