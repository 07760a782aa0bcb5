import { ApiError } from '../errors/api-error.js';

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
  readonly drop: (reason: ApiError) => void;
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

  /** Runs a read when there is room, and tells it how many milliseconds it has waited for that. */
  async run<T>(read: (waitedMs: number) => Promise<T>): Promise<T> {
    const since = performance.now();
    if (this.nRunning >= this.options.running) await this.turn();
    else this.nRunning += 1;
    try {
      return await read(performance.now() - since);
    } finally {
      this.next();
    }
  }

  /** Waits until a read that ends gives its place to this one. */
  private turn(): Promise<void> {
    if (this.queue.length >= this.options.waiting) this.dropOne();
    return new Promise((start, drop) => {
      this.queue.push({ start, drop, since: performance.now() });
    });
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
