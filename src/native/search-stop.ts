import * as binding from '../../native/binding.cjs';
import { SearchAborted } from './search-aborted.js';

/** Ends searches that nobody waits for any more; one of them stands for all of a request. */
export class SearchStop {
  /** What the engine asks. @internal */
  readonly native = new binding.NativeStop();
  #isStopped = false;
  #controller: AbortController | undefined;

  /** Whether the end was asked for. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** The same as a signal, made when it is first wanted: most searches never need it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isStopped) this.#controller.abort(new SearchAborted());
    return this.#controller.signal;
  }

  /** Asks for the end: searches under way fail soon, later ones at once. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.native.stop();
    this.#controller?.abort(new SearchAborted());
  }
}
