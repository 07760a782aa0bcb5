// Plays one recorded case against a running server and tells the first thing that went differently.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { here } from './case-files.mjs';
import { firstDifference } from './difference.mjs';
import { fill, pick, signToken } from './placeholders.mjs';
import { hasSharedTotal, Shape } from './shape.mjs';

const FIXTURES = join(here, '..', 'fixtures');
const FIRST_POLL_MS = 4;
const LAST_POLL_MS = 100;

/**
 * @typedef {import('./case-files.mjs').Case} Case
 * @typedef {import('./case-files.mjs').Step} Step
 * @typedef {import('./case-files.mjs').Request} Request
 *
 * @typedef {object} Target
 * @property {string} url without a slash at the end
 * @property {string} [key] master key
 * @property {string} service how the server calls itself in messages
 * @property {number} timeoutMs for one request and for one task
 *
 * @typedef {object} Failure
 * @property {string} id of the case
 * @property {string} reason in one line
 */

export class Conversation {
  #target;
  #run;
  #shape;
  /** @type {import('./placeholders.mjs').Saved} */
  #saved = {};

  /**
   * @param {Target} target
   * @param {string} run stands for `{i}`, so that cases never meet each other's indexes
   */
  constructor(target, run) {
    this.#target = target;
    this.#run = run;
    this.#shape = new Shape(run, target.service);
  }

  /**
   * Plays the steps in order and stops at the first that differs.
   * @param {Case} recorded
   * @returns {Promise<Failure | undefined>}
   */
  async play({ id, steps }) {
    for (const [number, step] of steps.entries()) {
      const where = `step ${number + 1}${step.req ? ` ${step.req.method} ${step.req.path}` : ''}`;
      try {
        const got = await this.#take(step);
        const difference = got && firstDifference(step.res, got);
        if (difference) {
          const { path, want, got: found } = difference;
          return { id, reason: `${where}: ${path}: want ${brief(want)}, got ${brief(found)}` };
        }
      } catch (error) {
        return { id, reason: `${where}: ${error instanceof Error ? error.message : error}` };
      }
    }
    return undefined;
  }

  /**
   * @param {Step} step
   * @returns {Promise<Record<string, unknown> | undefined>} the answer in comparable form, if one is expected
   */
  async #take(step) {
    if (step.wait !== undefined) await sleep(step.wait);
    if (step.sign) this.#save(step, { jwt: signToken(step.sign, this.#run, this.#saved) });
    if (!step.req) return undefined;

    const { status, contentType, text } = await this.#send(step.req);
    const body = parse(text);
    this.#save(step, body);
    const shown = step.text ? text : body;
    /** @type {Record<string, unknown>} */
    const answer = {
      status,
      contentType,
      body: this.#shape.of(shown, hasSharedTotal(step.req.path)),
    };
    for (const key of step.exact ?? []) {
      /** @type {any} */ (answer.body)[key] = body?.[key];
    }
    if (step.pick) answer.body = pick(answer.body, step.pick);
    if (!step.nowait && isAcknowledgement(status, body)) {
      const task = this.#shape.of(await this.#finishedTask(body.taskUid));
      answer.task = step.pickTask ? pick(task, step.pickTask) : task;
    }
    return answer;
  }

  /**
   * @param {Step} step
   * @param {unknown} value
   */
  #save(step, value) {
    if (step.save !== undefined) this.#saved[step.save] = value;
  }

  /** @param {Request} request */
  async #send(request) {
    const { url, timeoutMs } = this.#target;
    const { headers, body } = this.#prepare(request);
    const response = await fetch(url + this.#fill(request.path), {
      method: request.method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      ...(body ? { body } : {}),
    });
    const [contentType = ''] = (response.headers.get('content-type') ?? '').split(';');
    return { status: response.status, contentType, text: await response.text() };
  }

  /**
   * Headers and body of a request. A `raw` body goes as bytes, so that no content type is added for it.
   * @param {Request} request
   */
  #prepare(request) {
    const headers = new Headers();
    if (this.#target.key) headers.set('authorization', `Bearer ${this.#target.key}`);
    for (const [name, value] of Object.entries(request.headers ?? {})) {
      if (value === null) headers.delete(name);
      else headers.set(name, this.#fill(value));
    }
    const named = Object.keys(request.headers ?? {}).map((name) => name.toLowerCase());
    /** @param {string} type */
    const suggest = (type) => {
      if (!named.includes('content-type')) headers.set('content-type', type);
    };
    if (request.file !== undefined) {
      suggest('application/x-ndjson');
      return { headers, body: readFileSync(join(FIXTURES, request.file)) };
    }
    if (request.raw !== undefined) return { headers, body: Buffer.from(this.#fill(request.raw)) };
    if (request.body === undefined) return { headers, body: undefined };
    suggest('application/json');
    return { headers, body: Buffer.from(this.#fill(JSON.stringify(request.body))) };
  }

  /** @param {string} text */
  #fill(text) {
    return fill(text, this.#run, this.#saved);
  }

  /**
   * Polls a task, with the master key, until it ended.
   * @param {number} uid
   */
  async #finishedTask(uid) {
    const end = Date.now() + this.#target.timeoutMs;
    for (let pause = FIRST_POLL_MS; ; pause = Math.min(pause * 1.5, LAST_POLL_MS)) {
      const { text } = await this.#send({ method: 'GET', path: `/tasks/${uid}` });
      const task = parse(text);
      if (['succeeded', 'failed', 'canceled'].includes(task?.status)) return task;
      if (!task?.status) throw new Error(`task ${uid} cannot be read: ${text.slice(0, 200)}`);
      if (Date.now() > end) throw new Error(`task ${uid} is still ${task.status}`);
      await sleep(pause);
    }
  }
}

/**
 * @param {number} status
 * @param {any} body
 */
function isAcknowledgement(status, body) {
  return (status === 202 || status === 200) && body?.status === 'enqueued' && 'taskUid' in body;
}

/**
 * @param {string} text
 * @returns {any} the JSON value, or the text itself when it is not JSON
 */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @param {unknown} value */
const brief = (value) => (JSON.stringify(value) ?? 'nothing').slice(0, 400);

/** @param {number} ms */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
