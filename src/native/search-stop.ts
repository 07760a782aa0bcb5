import * as binding from '../../native/binding.cjs';
import { SearchAborted } from './search-aborted.js';

/** Flags that no search was stopped by, for the next requests: making one takes several calls. */
const unused: binding.NativeStop[] = [];
/** About as many as requests are answered at once. */
const MAX_UNUSED = 256;

/** Ends searches that nobody waits for any more; one of them stands for all of a request. */
export class SearchStop {
  #native: binding.NativeStop | undefined;
  #isStopped = false;
  #controller: AbortController | undefined;
  #listeners: (() => void)[] | undefined;

  /** What the engine asks. @internal */
  get native(): binding.NativeStop {
    this.#native ??= unused.pop() ?? new binding.NativeStop();
    return this.#native;
  }

  /** Whether the end was asked for. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Calls a listener when the end is asked for; costs less than making the signal for it. */
  whenStopped(listener: () => void): void {
    this.#listeners ??= [];
    this.#listeners.push(listener);
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
    for (const listener of this.#listeners ?? []) listener();
  }

  /**
   * Says that the answer is out and nothing will be stopped any more, so that another request may
   * use the flag. A search that is still under way, of no use to anyone, may be stopped with that.
   */
  release(): void {
    if (this.#native === undefined || this.#isStopped) return;
    if (unused.length < MAX_UNUSED) unused.push(this.#native);
    this.#native = undefined;
  }
}
