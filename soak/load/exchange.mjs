// One request over a connection of a pool, or over one of its own; some are broken off by the client.
import { Agent, request as open } from 'node:http';

const CONNECTIONS = 16;

export class Exchanges {
  #url;
  /** Takes the connection that was idle the longest, so that all stay open: their number must not follow the load. */
  #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'fifo' });

  /** @param {URL} url */
  constructor(url) {
    this.#url = url;
  }

  /**
   * The status and text of an answer. With `breakOff`, the client goes away after so many milliseconds, and the
   * status is 0 where that was before the end of the answer.
   * @param {{method: string, path: string, body?: unknown, ownConnection?: boolean, breakOff?: number}} call
   * @returns {Promise<{status: number, text: string}>}
   */
  send({ method, path, body, ownConnection = false, breakOff }) {
    const json = body === undefined ? undefined : JSON.stringify(body);
    const headers =
      json === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) };
    const agent = ownConnection || breakOff !== undefined ? false : this.#agent;
    return new Promise((resolve, reject) => {
      const sent = open(new URL(path, this.#url), { method, agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        response.on('error', fail);
      });
      /** @param {Error} error */
      const fail = (error) =>
        breakOff === undefined ? reject(error) : resolve({ status: 0, text: '' });
      sent.on('error', fail);
      sent.end(json);
      if (breakOff !== undefined) setTimeout(() => sent.destroy(), breakOff);
    });
  }

  /** Opens all connections of the pool. */
  async open() {
    const health = () => this.send({ method: 'GET', path: '/health' });
    await Promise.all(Array.from({ length: CONNECTIONS }, health));
  }

  close() {
    this.#agent.destroy();
  }
}
