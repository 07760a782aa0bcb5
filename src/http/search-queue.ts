import { ApiError } from '../errors/api-error.js';
import { SearchAborted } from '../native/search-aborted.js';
import type { SearchStop } from '../native/search-stop.js';

/** How many reads run side by side and how many may wait. */
export interface SearchQueueOptions {
  readonly running: number;
  readonly waiting: number;
  /** A read that still waits after so long is refused: its client has given up, too. */
  readonly dropAfterMs?: number;
  /** Counts those that wait, along with other queues that share the room. */
  readonly room?: WaitingRoom;
}

/** How many reads wait in all the queues that share one room. */
export interface WaitingRoom {
  readonly waiting: number;
  /** Counts some more, or with a negative number some less. */
  add(change: number): void;
}

/** Where reads are run when there is room. */
export type ReadQueue = Pick<SearchQueue, 'run'>;

/** A read that waits for its turn. */
interface Waiting {
  readonly start: () => void;
  readonly drop: (reason: Error) => void;
  /** When it came, by the clock of `performance`. */
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
  /** Reads of requests of which others have begun: they come first, and are not refused. */
  private readonly begun: Waiting[] = [];

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
    return this.queue.length + this.begun.length;
  }

  /**
   * Runs a read when there is room, and tells it how many milliseconds it has waited for that. One
   * that is stopped while it waits gives its place to the others.
   */
  run<T>(read: (waitedMs: number) => Promise<T>, stop?: SearchStop): Promise<T> {
    return this.runFrom(this.queue, read, stop);
  }

  /**
   * Runs the reads of one request: they wait as one and are refused as one. Were each refused by
   * itself, a request of many would hardly ever be answered under overload, and what was done for
   * the others would be done for nothing.
   */
  together(): ReadQueue {
    let first: Promise<void> | undefined;
    return {
      run: async (read, stop) => {
        if (first !== undefined) {
          await first;
          return this.runFrom(this.begun, read, stop);
        }
        let begin = (): void => undefined;
        let refuse: (reason: unknown) => void = () => undefined;
        first = new Promise<void>((resolve, reject) => {
          begin = resolve;
          refuse = reject;
        });
        // It may be the only one.
        first.catch(() => undefined);
        const started = (waitedMs: number) => {
          begin();
          return read(waitedMs);
        };
        return this.run(started, stop).catch((error: unknown) => {
          refuse(error);
          throw error;
        });
      },
    };
  }

  private runFrom<T>(
    room: Waiting[],
    read: (waitedMs: number) => Promise<T>,
    stop: SearchStop | undefined,
  ): Promise<T> {
    if (this.nRunning >= this.options.running) return this.runLater(room, read, stop);
    this.nRunning += 1;
    return this.runNow(read, 0);
  }

  private async runLater<T>(
    room: Waiting[],
    read: (waitedMs: number) => Promise<T>,
    stop: SearchStop | undefined,
  ): Promise<T> {
    const since = performance.now();
    await this.turn(room, since, stop);
    return await this.runNow(read, performance.now() - since);
  }

  private async runNow<T>(read: (waitedMs: number) => Promise<T>, waitedMs: number): Promise<T> {
    try {
      return await read(waitedMs);
    } finally {
      this.next();
    }
  }

  /** Waits in a room until a read that ends gives its place to this one. */
  private turn(room: Waiting[], since: number, stop: SearchStop | undefined): Promise<void> {
    if (stop?.isStopped === true) throw new SearchAborted();
    const isCounted = room === this.queue;
    if (isCounted) this.makeRoom();
    return new Promise((start, drop) => {
      const waiting = { start, drop, since };
      room.push(waiting);
      if (isCounted) this.count(1);
      stop?.whenStopped(() => this.leave(room, waiting));
    });
  }

  /** Takes a read out that is stopped, if it still waits. */
  private leave(room: Waiting[], waiting: Waiting): void {
    const at = room.indexOf(waiting);
    if (at === -1) return;
    room.splice(at, 1);
    if (room === this.queue) this.count(-1);
    waiting.drop(new SearchAborted());
  }

  /** Tells those who share the room of reads that have come to `queue` or left it. */
  private count(change: number): void {
    this.options.room?.add(change);
  }

  /** Refuses a read when too many wait: the new one, where all the others wait elsewhere. */
  private makeRoom(): void {
    const { room, waiting } = this.options;
    const elsewhere = room === undefined ? 0 : room.waiting - this.queue.length;
    if (this.queue.length + elsewhere < waiting) return;
    if (this.queue.length === 0 && elsewhere > 0) throw this.refusal();
    this.dropOne();
  }

  private dropOne(): void {
    const [dropped] = this.queue.splice(Math.floor(this.random() * this.queue.length), 1);
    if (dropped === undefined) return;
    this.count(-1);
    dropped.drop(this.refusal());
  }

  private refusal(): ApiError {
    return new ApiError(
      'too_many_search_requests',
      `Too many search requests running at the same time: ${this.options.waiting}. Retry after 10s.`,
    );
  }

  /** Gives the place of a read that ended to the next one that has not waited for too long. */
  private next(): void {
    const begun = this.begun.shift();
    if (begun !== undefined) {
      begun.start();
      return;
    }
    const { dropAfterMs = Number.POSITIVE_INFINITY } = this.options;
    for (let next = this.queue.shift(); next !== undefined; next = this.queue.shift()) {
      this.count(-1);
      if (performance.now() - next.since < dropAfterMs) {
        next.start();
        return;
      }
      next.drop(this.refusal());
    }
    this.nRunning -= 1;
  }
}
