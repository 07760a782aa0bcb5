import type { MessagePort } from 'node:worker_threads';
import type { PassedError, PrimaryServices, ToPrimary } from './messages.js';
import { takenError } from './passed-errors.js';

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** Has the primary do what a loop cannot. */
export class PrimaryCalls {
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, Waiting>();
  #nCalls = 0;

  constructor(port: MessagePort) {
    this.#port = port;
  }

  /** Calls a service of the primary; an aborted `signal` ends it there. */
  async call<Name extends keyof PrimaryServices>(
    name: Name,
    given: Parameters<PrimaryServices[Name]>,
    signal?: AbortSignal,
  ): Promise<Awaited<ReturnType<PrimaryServices[Name]>>> {
    signal?.throwIfAborted();
    const call = this.#nCalls;
    this.#nCalls += 1;
    const abort = () => this.#send({ kind: 'abort', call });
    signal?.addEventListener('abort', abort);
    try {
      const result = new Promise<Awaited<ReturnType<PrimaryServices[Name]>>>((resolve, reject) => {
        this.#waiting.set(call, { resolve, reject });
      });
      this.#send({ kind: 'call', call, name, given });
      return await result;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** A call has ended. */
  resolve(call: number, value: unknown): void {
    this.#take(call)?.resolve(value as never);
  }

  /** A call has failed. */
  reject(call: number, error: PassedError): void {
    this.#take(call)?.reject(takenError(error));
  }

  #take(call: number): Waiting | undefined {
    const waiting = this.#waiting.get(call);
    this.#waiting.delete(call);
    return waiting;
  }

  #send(message: ToPrimary): void {
    this.#port.postMessage(message);
  }
}
