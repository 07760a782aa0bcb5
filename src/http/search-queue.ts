import { ApiError } from '../errors/api-error.js';

/** How many reads run side by side and how many may wait. */
export interface SearchQueueOptions {
  readonly running: number;
  readonly waiting: number;
}

/** A read that waits for its turn. */
interface Waiting {
  readonly start: () => void;
  readonly drop: (reason: ApiError) => void;
}

/**
 * Bounds how many searches and document reads run at once. When too many wait, one of them, chosen
 * at random, is refused: under overload every client then has the same chance to be served.
 */
export class SearchQueue {
  private readonly options: SearchQueueOptions;
  private readonly random: () => number;
  private running = 0;
  private readonly waiting: Waiting[] = [];

  constructor(options: SearchQueueOptions, random: () => number = Math.random) {
    this.options = options;
    this.random = random;
  }

  /** Runs a read when there is room. */
  async run<T>(read: () => Promise<T>): Promise<T> {
    if (this.running >= this.options.running) await this.turn();
    else this.running += 1;
    try {
      return await read();
    } finally {
      this.next();
    }
  }

  /** Waits until a read that ends gives its place to this one. */
  private turn(): Promise<void> {
    if (this.waiting.length >= this.options.waiting) this.dropOne();
    return new Promise((start, drop) => {
      this.waiting.push({ start, drop });
    });
  }

  private dropOne(): void {
    const [dropped] = this.waiting.splice(Math.floor(this.random() * this.waiting.length), 1);
    dropped?.drop(
      new ApiError(
        'too_many_search_requests',
        `Too many search requests running at the same time: ${this.options.waiting}. Retry after 10s.`,
      ),
    );
  }

  private next(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.running -= 1;
    else next.start();
  }
}
