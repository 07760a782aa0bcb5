import { type OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Tells the loop that passed a request on to end the connection that it came on. */
export const ENDS_CONNECTION = 'serval-ends-connection';

/**
 * The answer to a request that a loop passed on. Where it is to end the connection, that is the
 * one of the client: the one between the loops stays, so that nothing of the answer is lost.
 */
export class PassedAnswer extends ServerResponse {
  override writeHead(status: number, ...rest: unknown[]): this {
    for (const given of rest) {
      if (typeof given === 'object' && given !== null && !Array.isArray(given)) {
        for (const [name, value] of Object.entries(given as OutgoingHttpHeaders)) {
          if (value !== undefined) this.setHeader(name, value);
        }
      }
    }
    if (this.getHeader('connection') === 'close') {
      this.removeHeader('connection');
      this.setHeader(ENDS_CONNECTION, 'true');
    }
    return super.writeHead(status);
  }
}
