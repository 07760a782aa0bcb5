import { once } from 'node:events';
import { Socket } from 'node:net';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { LoopMeasures } from '../routes/metrics.js';
import type { LoopOptions, LoopStart, PrimaryServices, ToLoop, ToPrimary } from './messages.js';
import { passedError } from './passed-errors.js';
import type { SharedCounts } from './shared-counts.js';

/** What the primary does for a loop. */
export interface LoopOwner {
  /** What loops call; those that may be aborted take a signal last. */
  readonly services: PrimaryServices;
  readonly log: (line: string) => void;
  /** Takes a connection on which requests are passed on. */
  readonly connected: (connection: Socket) => void;
  /** The thread has ended although it was not asked to. */
  readonly died: (reason: Error) => void;
}

/** An event loop that answers requests, seen from the primary. */
export class LoopThread {
  /** Brings changes of the state to the loop. */
  readonly state: MessagePort;
  readonly #worker: Worker;
  readonly #owner: LoopOwner;
  readonly #calls = new Map<number, AbortController>();
  readonly #measured: ((measures: LoopMeasures) => void)[] = [];
  readonly #ready: Promise<void>;
  #isReady = (): void => undefined;
  #isClosed = (): void => undefined;
  #isClosing = false;

  constructor(program: string, options: LoopOptions, counts: SharedCounts, owner: LoopOwner) {
    const { port1, port2 } = new MessageChannel();
    this.state = port1;
    port1.unref();
    this.#owner = owner;
    const workerData: LoopStart = { options, counts: counts.memory, state: port2 };
    this.#worker = new Worker(program, { workerData, transferList: [port2], name: 'http' });
    this.#ready = new Promise((ready) => {
      this.#isReady = ready;
    });
    this.#worker.on('message', (message: ToPrimary) => this.#take(message));
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', (code) => this.#end(new Error(`the thread ended with ${code}`)));
  }

  /** Resolves once it takes connections. */
  ready(): Promise<void> {
    return this.#ready;
  }

  /** Gives it a connection, which is closed here already. */
  take(descriptor: number): void {
    this.#tell({ kind: 'connection', descriptor });
  }

  /** What it has measured. */
  measures(): Promise<LoopMeasures> {
    return new Promise((measured) => {
      this.#measured.push(measured);
      this.#tell({ kind: 'measure' });
    });
  }

  /** Lets its requests end, then the thread. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const closed = new Promise<void>((resolve) => {
      this.#isClosed = resolve;
    });
    this.#tell({ kind: 'close' });
    await Promise.race([closed, once(this.#worker, 'exit')]);
    await this.#worker.terminate();
  }

  #tell(message: ToLoop): void {
    this.#worker.postMessage(message);
  }

  #end(reason: Error): void {
    if (!this.#isClosing) this.#owner.died(reason);
  }

  #take(message: ToPrimary): void {
    switch (message.kind) {
      case 'ready':
        this.#isReady();
        return;
      case 'connection':
        this.#owner.connected(
          new Socket({
            fd: message.descriptor,
            allowHalfOpen: true,
            readable: true,
            writable: true,
          }),
        );
        return;
      case 'call':
        void this.#answer(message);
        return;
      case 'abort':
        this.#calls.get(message.call)?.abort();
        return;
      case 'measures':
        this.#measured.shift()?.(message.measures);
        return;
      case 'log':
        this.#owner.log(message.line);
        return;
      case 'closed':
        this.#isClosed();
    }
  }

  async #answer({ call, name, given }: Extract<ToPrimary, { kind: 'call' }>): Promise<void> {
    const abort = new AbortController();
    this.#calls.set(call, abort);
    try {
      const serve = this.#owner.services[name] as (...given: unknown[]) => Promise<unknown>;
      const value = await serve(...given, abort.signal);
      this.#tell({ kind: 'result', call, value });
    } catch (error) {
      this.#tell({ kind: 'failure', call, error: passedError(error) });
    } finally {
      this.#calls.delete(call);
    }
  }
}
