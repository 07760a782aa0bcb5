import { Worker } from 'node:worker_threads';
import { ApiError } from '../errors/api-error.js';
import { freeAnswer } from '../native/answer.js';
import { bufferOf, LONG_JSON_WORK } from './long-json-work.js';
import { type Answered, type Asked, ownMemory, type Work } from './messages.js';

/** A thread without work ends after this time, with what it remembers in its memory. */
const IDLE_MS = 30_000;

/**
 * Work on the body of a request, whose memory goes to the thread as it is. That of the addon can go
 * to no other thread, and is copied.
 */
const OF_REQUESTS: ReadonlySet<keyof Work> = new Set(['askedSettings']);

/** Who waits for a piece of work. */
interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Has megabytes of JSON read and written by a thread of its own, so that the event loop does not
 * wait for it: a megabyte takes some 50 ms. The thread is started with its first work.
 */
export class LongJson {
  readonly #program: string | undefined;
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #nextCall = 0;

  /** Without a `program` for the thread, work is done on the spot. */
  constructor(program?: string) {
    this.#program = program;
  }

  /** The outcome of a piece of work on bytes, which nobody may read afterwards. */
  async run<Name extends keyof Work>(
    name: Name,
    bytes: Buffer,
    ...given: Parameters<Work[Name]> extends [unknown, ...infer Rest] ? Rest : never
  ): Promise<ReturnType<Work[Name]>> {
    if (this.#program === undefined) {
      const work = LONG_JSON_WORK[name] as (...given: unknown[]) => ReturnType<Work[Name]>;
      return work(bytes, ...given);
    }
    const thread = this.#started(this.#program);
    clearTimeout(this.#idle);
    const call = this.#nextCall;
    this.#nextCall += 1;
    const asked: Asked = { call, name, given: [bytes, ...given] };
    return new Promise((resolve, reject) => {
      this.#waiting.set(call, { resolve, reject });
      thread.postMessage(asked, OF_REQUESTS.has(name) ? ownMemory(bytes) : []);
      freeAnswer(bytes);
    });
  }

  /** Ends the thread; who still waits for it is told so. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#thread?.terminate();
  }

  #started(program: string): Worker {
    if (this.#thread !== undefined) return this.#thread;
    const thread = new Worker(program, { name: 'long-json' });
    // Who waits holds a connection or the like; the thread itself keeps nothing from ending.
    thread.unref();
    thread.on('message', (answered: Answered) => this.#take(answered));
    thread.on('error', (error) => this.#end(thread, error));
    thread.on('exit', (code) => this.#end(thread, new Error(`the thread ended with ${code}`)));
    this.#thread = thread;
    return thread;
  }

  #take(answered: Answered): void {
    const waiting = this.#waiting.get(answered.call);
    this.#waiting.delete(answered.call);
    if ('value' in answered) waiting?.resolve(takenValue(answered.value) as never);
    else if ('code' in answered) waiting?.reject(new ApiError(answered.code, answered.message));
    else waiting?.reject(new Error(answered.failure));
    if (this.#waiting.size > 0) return;
    this.#idle = setTimeout(() => this.#rest(), IDLE_MS).unref();
  }

  #rest(): void {
    const thread = this.#thread;
    this.#thread = undefined;
    void thread?.terminate();
  }

  #end(thread: Worker, reason: Error): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(reason);
  }
}

/** A value that came from another thread; bytes are no buffer then. */
function takenValue(value: unknown): unknown {
  return value instanceof Uint8Array ? bufferOf(value) : value;
}
