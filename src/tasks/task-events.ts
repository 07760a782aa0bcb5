import type { StoredTask } from '../native/store.js';

/** What happened to tasks. */
export type TaskEvent = { readonly taskUids: readonly number[] } & (
  | {
      readonly kind: 'enqueued';
      readonly batchUid: undefined;
      /** @internal */
      readonly tasks: readonly StoredTask[];
    }
  | { readonly kind: 'started'; readonly batchUid: number; readonly startedAt: string }
  /** Interrupted tasks wait again, except those that are canceled. */
  | { readonly kind: 'ended' | 'interrupted'; readonly batchUid: number }
  /** What tasks need cannot be had: they wait, and it is tried again. */
  | { readonly kind: 'stalled'; readonly batchUid: undefined; readonly reason: unknown }
);

/** Tells listeners what happens to tasks, in order. A listener that throws is dropped. */
export class TaskEvents {
  readonly #listeners = new Set<(event: TaskEvent) => void>();

  /** Listens until the returned function is called. */
  subscribe(listener: (event: TaskEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: TaskEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch {
        this.#listeners.delete(listener);
      }
    }
  }
}
