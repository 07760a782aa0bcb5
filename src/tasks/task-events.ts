/** What happened to tasks: they were enqueued, started with a batch, or ended with it. */
export interface TaskEvent {
  readonly kind: 'enqueued' | 'started' | 'ended';
  readonly batchUid: number | undefined;
  readonly taskUids: readonly number[];
}

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
