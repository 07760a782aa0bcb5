// What is sent to a server that may be killed at any moment, and what is known of it by then.
import { setTimeout as delay } from 'node:timers/promises';
import { canonical } from '../crash/check.mjs';

const POLL_FIRST_MS = 2;
const POLL_LAST_MS = 50;
const MOST_SHOWN = 400;

/**
 * @typedef {import('./model.mjs').Model} Model
 * @typedef {import('./reads-of-one.mjs').Read} Read
 * @typedef {import('./writes.mjs').Write} Write
 *
 * @typedef {{uid: number, type: string, status: string, indexUid: string | null, error: {code: string, message: string} | null, details?: {swaps?: {indexes: string[]}[]}}} Task
 * @typedef {{write: Write, taskUid: number | undefined}} Sent a write, and the number it was acknowledged with
 */

/** The server does not answer any more. */
export class Gone extends Error {}

export class Connection {
  /** @type {string[]} what was wrong, in sentences */
  wrong = [];
  /** @type {Set<Sent>} writes whose end is not in the model yet, those of an index in their order */
  unsettled = new Set();
  /** @type {Map<number, string>} how tasks ended that are in the model */
  ended = new Map();
  /** @type {Map<string, number>} how often each kind of thing was done */
  counts = new Map();

  /**
   * @param {string} url
   * @param {Model} model
   */
  constructor(url, model) {
    this.url = url;
    this.model = model;
  }

  /**
   * @param {{method: string, path: string, body?: unknown}} call
   * @returns {Promise<{status: number, body: any}>}
   */
  async send({ method, path, body }) {
    let status;
    let text;
    try {
      const response = await fetch(new URL(path, this.url), {
        method,
        headers: body === undefined ? {} : { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      status = response.status;
      text = await response.text();
    } catch (error) {
      throw new Gone(`${method} ${path}: no answer`, { cause: error });
    }
    return { status, body: text === '' ? undefined : JSON.parse(text) };
  }

  /**
   * Sends a read and compares.
   * @param {Read} read
   */
  async read(read) {
    const { status, body } = await this.send(read);
    const seen = status < 400 ? read.seen(body) : { code: body.code };
    this.#count(read.name);
    const texts = [seen, read.expected].map((value) => canonical(value) ?? 'nothing');
    if (texts[0] === texts[1]) return;
    const call = `${read.method} ${read.path} ${JSON.stringify(read.body ?? '')}`;
    const [what, is, expected] = [call, ...texts].map((text) => text.slice(0, MOST_SHOWN));
    this.wrong.push(`${what}: ${is} is not ${expected}`);
  }

  /**
   * Sends writes one behind the other, then waits until they have ended and are in the model.
   * @param {readonly Write[]} writes
   */
  async write(writes) {
    /** @type {Sent[]} */
    const all = [];
    for (const write of writes) {
      /** @type {Sent} */
      const sent = { write, taskUid: undefined };
      this.unsettled.add(sent);
      const { status, body } = await this.send(write);
      if (status === 202) {
        sent.taskUid = body.taskUid;
        all.push(sent);
        continue;
      }
      this.unsettled.delete(sent);
      this.wrong.push(`${write.method} ${write.path}: ${status} ${body.code} ${body.message}`);
    }
    for (const sent of all) this.end(sent, await this.#taskThatEnded(Number(sent.taskUid)));
  }

  /**
   * Takes what a task says of a write into the model.
   * @param {Sent} sent
   * @param {Task} task
   */
  end(sent, task) {
    this.unsettled.delete(sent);
    this.ended.set(task.uid, task.status);
    this.#count(sent.write.type);
    const code = sent.write.apply(this.model);
    if (
      task.status === (code === undefined ? 'succeeded' : 'failed') &&
      task.error?.code === code
    ) {
      return;
    }
    const { method, path } = sent.write;
    const is = `${task.status} ${task.error?.code ?? ''} ${task.error?.message ?? ''}`;
    this.wrong.push(`task ${task.uid}, ${method} ${path}: ${is} instead of ${code ?? 'success'}`);
  }

  /** @param {number} uid @returns {Promise<Task>} */
  async #taskThatEnded(uid) {
    for (let pause = POLL_FIRST_MS; ; pause = Math.min(pause * 1.5, POLL_LAST_MS)) {
      const { body } = await this.send({ method: 'GET', path: `/tasks/${uid}` });
      if (body.status !== 'enqueued' && body.status !== 'processing') return body;
      await delay(pause);
    }
  }

  /** @param {string} name */
  #count(name) {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }
}
