/** The failure of a search that was stopped; nobody waits for its answer. */
export class SearchAborted extends Error {
  override readonly name = 'SearchAborted';

  constructor() {
    super('The search was aborted.');
  }
}
