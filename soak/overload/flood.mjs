// More requests than a server can answer, at a rate that does not wait for answers.
import { Agent, request as open } from 'node:http';
import { percentile } from '../../bench/numbers.mjs';
import { atRate } from '../load/pace.mjs';

/**
 * @typedef {{method: string, path: string, body: Buffer}} Call
 *
 * @typedef {object} Answer
 * @property {number} status 0 when there was none
 * @property {string | undefined} retryAfter
 * @property {number} ms
 * @property {string} text
 */

export class Flood {
  /** @type {Answer[]} */
  answers = [];
  #agent;
  #url;

  /**
   * @param {URL} url
   * @param {number} connections
   */
  constructor(url, connections) {
    this.#url = url;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /**
   * @param {Call} call
   * @returns {Promise<Answer>}
   */
  send({ method, path, body }) {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length };
    const started = performance.now();
    return new Promise((resolve) => {
      const end = (/** @type {number} */ status, retryAfter = '', text = '') => {
        const ms = performance.now() - started;
        const answer = { status, retryAfter: retryAfter || undefined, ms, text };
        this.answers.push(answer);
        resolve(answer);
      };
      const url = new URL(path, this.#url);
      const sent = open(url, { method, agent: this.#agent, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          if (response.statusCode !== 200) text += chunk;
        });
        response.on('end', () =>
          end(response.statusCode ?? 0, String(response.headers['retry-after'] ?? ''), text),
        );
        response.on('error', () => end(0));
      });
      sent.on('error', () => end(0));
      sent.end(body);
    });
  }

  /**
   * How many a second are answered when so many clients send one after the other.
   * @param {() => Call} next
   * @param {{clients: number, seconds: number}} options
   */
  async capacity(next, { clients, seconds }) {
    const end = performance.now() + seconds * 1000;
    const before = this.answers.length;
    const started = performance.now();
    const client = async () => {
      while (performance.now() < end) await this.send(next());
    };
    await Promise.all(Array.from({ length: clients }, client));
    const answered = this.answers.length - before;
    this.answers = [];
    return answered / ((performance.now() - started) / 1000);
  }

  /**
   * Sends so many a second for so long, then closes every connection, answered or not.
   * @param {() => Call} next
   * @param {{perSecond: number, seconds: number, most: number}} options
   */
  async run(next, { perSecond, seconds, most }) {
    const end = performance.now() + seconds * 1000;
    const isOver = () => performance.now() >= end;
    const flooding = atRate({ perSecond, most, isOver }, async () => {
      await this.send(next());
    });
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    this.close();
    return flooding;
  }

  close() {
    this.#agent.destroy();
  }
}

/**
 * The answers by status: how many, and how soon.
 * @param {Answer[]} answers
 */
export function byStatus(answers) {
  const statuses = [...new Set(answers.map(({ status }) => status))].sort();
  return statuses.map((status) => {
    const these = answers.filter((answer) => answer.status === status);
    const ms = these.map((answer) => answer.ms);
    return {
      status,
      answers: these.length,
      p50Ms: percentile(ms, 50),
      p99Ms: percentile(ms, 99),
      mostMs: Math.max(...ms),
    };
  });
}
