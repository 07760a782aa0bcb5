/** Tells who follows of each change, in the moment it is made. */
export class Changes<Change> {
  readonly #listeners: ((change: Change) => void)[] = [];

  /** Hears of every change from now on. */
  follow(listener: (change: Change) => void): void {
    this.#listeners.push(listener);
  }

  /** Tells of a change that has just been made. */
  tell(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }
}
