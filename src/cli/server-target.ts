import { setTimeout as delay } from 'node:timers/promises';
import { innermostReason } from '../errors/error-reason.js';
import { doublingPauses, PassingFailure, withRetries } from '../waiting/with-retries.js';
import { CommandError, EXIT, type ExitCode, usageError } from './exit-code.js';
import type {
  DocumentBatch,
  DocumentsRequest,
  NewTargetKey,
  Target,
  TargetIndex,
  TargetKey,
  TargetTask,
} from './target.js';

/** The error of a server's answer. */
export class ServerError extends CommandError {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(exitCodeOf(status), message);
    this.status = status;
    this.code = code;
  }
}

function exitCodeOf(status: number): ExitCode {
  if (status === 401 || status === 403) return EXIT.refused;
  return status === 404 ? EXIT.notFound : EXIT.failed;
}

const MEDIA_TYPES = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
} as const;

/** Answers after which the same request may succeed. */
const TRANSIENT = new Set([408, 425, 429, 502, 503, 504]);
const PAUSES = doublingPauses(400, 5);
/** Pauses between questions whether a task has ended. */
const FIRST_POLL_MS = 10;
const LONGEST_POLL_MS = 500;
const POLL_GROWTH = 1.3;
const KEYS_AT_ONCE = 100;
const INDEXES_AT_ONCE = 1000;
const STATUSES_OF_THE_END = ['succeeded', 'failed', 'canceled'];

/** Bodies that a server may not take. */
const LARGE_BYTES = 2 ** 20;

interface Sent {
  readonly type?: string;
  readonly body?: Buffer | string;
}

/** A running server, over HTTP: this one, or another of the same interface. */
export class ServerTarget implements Target {
  readonly place: string;
  readonly #key: string | undefined;
  readonly #signal: AbortSignal;

  constructor(url: string, key: string | undefined, signal: AbortSignal) {
    if (!/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) {
      throw usageError(`${url} is not the address of a server, such as http://localhost:7700`);
    }
    if (key !== undefined && !/^[\t\x20-\x7e\x80-\xff]*$/.test(key)) {
      throw usageError('the key holds characters that no header of a request can');
    }
    this.place = url.replace(/\/+$/, '');
    this.#key = key;
    this.#signal = signal;
  }

  async indexes(): Promise<readonly TargetIndex[]> {
    return this.#all<TargetIndex>('/indexes', INDEXES_AT_ONCE);
  }

  async createIndex(uid: string, primaryKey: string | null): Promise<number> {
    return taskUid(await this.#json('POST', '/indexes', { uid, primaryKey }));
  }

  settings(uid: string): Promise<Record<string, unknown>> {
    return this.#json('GET', `${indexPath(uid)}/settings`);
  }

  async updateSettings(uid: string, settings: object): Promise<number> {
    return taskUid(await this.#json('PATCH', `${indexPath(uid)}/settings`, settings));
  }

  async countDocuments(uid: string): Promise<number> {
    const { numberOfDocuments } = await this.#json('GET', `${indexPath(uid)}/stats`);
    return Number(numberOfDocuments);
  }

  async attributes(uid: string): Promise<readonly string[]> {
    const { fieldDistribution } = await this.#json('GET', `${indexPath(uid)}/stats`);
    return Object.keys(fieldDistribution as object);
  }

  async addDocuments(uid: string, batch: DocumentBatch): Promise<number> {
    const query = new URLSearchParams();
    if (batch.primaryKey !== undefined) query.set('primaryKey', batch.primaryKey);
    if (batch.csvDelimiter !== undefined) query.set('csvDelimiter', batch.csvDelimiter);
    const path = `${indexPath(uid)}/documents${query.size === 0 ? '' : `?${query}`}`;
    const sent = { type: MEDIA_TYPES[batch.format], body: batch.bytes };
    const answer = await this.#send(batch.isUpdate === true ? 'PUT' : 'POST', path, sent);
    return taskUid(JSON.parse(answer.toString()));
  }

  documents(uid: string, request: DocumentsRequest): Promise<Buffer> {
    return this.#send('POST', `${indexPath(uid)}/documents/fetch`, json(request));
  }

  search(uid: string, request: object): Promise<Buffer> {
    return this.#send('POST', `${indexPath(uid)}/search`, json(request));
  }

  async createDump(): Promise<number> {
    return taskUid(await this.#json('POST', '/dumps'));
  }

  async createSnapshot(): Promise<number> {
    return taskUid(await this.#json('POST', '/snapshots'));
  }

  async ended(uid: number): Promise<TargetTask> {
    for (let pause = FIRST_POLL_MS; ; pause = Math.min(pause * POLL_GROWTH, LONGEST_POLL_MS)) {
      const task = (await this.#json('GET', `/tasks/${uid}`)) as unknown as TargetTask;
      if (STATUSES_OF_THE_END.includes(task.status)) return task;
      await delay(pause, undefined, { signal: this.#signal });
    }
  }

  keys(): Promise<readonly TargetKey[]> {
    return this.#all<TargetKey>('/keys', KEYS_AT_ONCE);
  }

  async createKey(key: NewTargetKey): Promise<TargetKey> {
    return (await this.#json('POST', '/keys', key)) as unknown as TargetKey;
  }

  async deleteKey(uidOrKey: string): Promise<void> {
    await this.#send('DELETE', `/keys/${encodeURIComponent(uidOrKey)}`);
  }

  async close(): Promise<void> {
    // Connections end by themselves.
  }

  /** All results of a list that is given in pages. */
  async #all<T>(path: string, limit: number): Promise<T[]> {
    const all: T[] = [];
    for (;;) {
      const page = await this.#json('GET', `${path}?offset=${all.length}&limit=${limit}`);
      const { results, total } = page as unknown as { results: T[]; total: number };
      all.push(...results);
      if (results.length === 0 || all.length >= total) return all;
    }
  }

  async #json(method: string, path: string, value?: object): Promise<Record<string, unknown>> {
    const answer = await this.#send(method, path, value === undefined ? {} : json(value));
    return JSON.parse(answer.toString());
  }

  #send(method: string, path: string, sent: Sent = {}): Promise<Buffer> {
    return withRetries(() => this.#try(method, path, sent), PAUSES, this.#signal);
  }

  async #try(method: string, path: string, { type, body }: Sent): Promise<Buffer> {
    const headers: Record<string, string> = {};
    if (this.#key !== undefined) headers.Authorization = `Bearer ${this.#key}`;
    if (type !== undefined) headers['Content-Type'] = type;
    let response: Response;
    let text: Buffer;
    try {
      response = await fetch(this.place + path, {
        method,
        headers,
        signal: this.#signal,
        ...(body === undefined
          ? {}
          : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
      });
      text = Buffer.from(await response.arrayBuffer());
    } catch (error) {
      this.#signal.throwIfAborted();
      const reason = innermostReason(error);
      // A server that refuses a body for its size may hang up before it was taken, and its answer is lost.
      const isTooLarge = /EPIPE|ECONNRESET|other side closed/.test(reason) && isLarge(body);
      const hint = isTooLarge ? '; does it take as much at once? See --batch-size' : '';
      throw new CommandError(EXIT.unreachable, `no answer from ${this.place}: ${reason}${hint}`);
    }
    if (response.ok) return text;
    const error = errorOf(response.status, text.toString());
    throw TRANSIENT.has(error.status) ? new PassingFailure(error) : error;
  }
}

const isLarge = (body: Sent['body']): boolean => (body?.length ?? 0) > LARGE_BYTES;

const json = (value: object): Sent => ({ type: MEDIA_TYPES.json, body: JSON.stringify(value) });

const indexPath = (uid: string): string => `/indexes/${encodeURIComponent(uid)}`;

/** The uid of the task that an answer acknowledges. */
function taskUid(answer: Readonly<Record<string, unknown>>): number {
  return Number(answer.taskUid ?? answer.uid);
}

function errorOf(status: number, text: string): ServerError {
  try {
    const { code, message } = JSON.parse(text) as Record<string, unknown>;
    if (typeof code === 'string') return new ServerError(status, code, String(message));
  } catch {
    // Not every server answers JSON.
  }
  const said = text.slice(0, 200).trim();
  return new ServerError(status, `http_${status}`, `the server answered ${status}: ${said}`);
}
