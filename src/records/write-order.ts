/** Lets changes happen one after another, in the order in which they were asked for. */
export class WriteOrder {
  #last: Promise<unknown> = Promise.resolve();

  /** Makes a change once all before it have ended, whether they succeeded or not. */
  inTurn<T>(change: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(change, change);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
