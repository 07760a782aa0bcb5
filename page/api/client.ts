/**
 * The typed client of the page: every request that it sends. Types of answers are those of the server's own sources,
 * taken as types only; the few that the server never names, because their bytes come ready from the engine, are here.
 */
import type { ApiKey, NewKey } from '../../src/auth/api-key.js';
import type { ErrorBody } from '../../src/errors/api-error.js';
import type { Feature } from '../../src/features/feature.js';
import type { IndexStats } from '../../src/indexes/index-reader.js';
import type { IndexInfo } from '../../src/indexes/index-registry.js';
import type { SettingName } from '../../src/settings/settings-schema.js';
import type { Batch, Page, Task, TaskStatus, TaskSummary } from '../../src/tasks/task.js';
import { key, refuseKey } from '../shell/session.js';
import { parseExactly } from './exact-numbers.js';
import { linesOf } from './lines.js';

export type { ApiKey, Batch, IndexInfo, IndexStats, SettingName, Task, TaskStatus, TaskSummary };

/** A document as it is stored; integers that would be rounded are objects of `JSON.rawJSON`. */
export type Document = Record<string, unknown>;

/** What one rule of ranking said about a hit. */
export interface RuleDetails {
  readonly order: number;
  readonly score?: number;
  readonly [fact: string]: unknown;
}

/** A hit: its document, and what the search adds. */
export type Hit = Document & {
  readonly _formatted?: Document;
  readonly _rankingScore?: number;
  readonly _rankingScoreDetails?: Readonly<Record<string, RuleDetails>>;
};

/** A search of one index, as far as the page asks. */
export interface SearchQuery {
  readonly indexUid: string;
  readonly q: string;
  readonly limit: number;
  readonly filter?: readonly (string | readonly string[])[];
  readonly sort?: readonly string[];
  readonly facets?: readonly string[];
  readonly attributesToHighlight?: readonly string[];
  readonly attributesToCrop?: readonly string[];
  readonly cropLength?: number;
  readonly highlightPreTag?: string;
  readonly highlightPostTag?: string;
  readonly showRankingScore?: boolean;
  readonly showRankingScoreDetails?: boolean;
}

/** The answer of one search. */
export interface SearchAnswer {
  readonly hits: readonly Hit[];
  readonly estimatedTotalHits: number;
  readonly processingTimeMs: number;
  readonly facetDistribution?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly facetStats?: Readonly<Record<string, { readonly min: number; readonly max: number }>>;
}

/** The settings of an index; the values are edited as they come. */
export type Settings = { [Name in SettingName]?: unknown };

/** An answer that says no: its status, and the error of the server. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, { message, code }: Pick<ErrorBody, 'message' | 'code'>) {
    super(message);
    this.status = status;
    this.code = code;
  }

  /** Whether another key might be let in. */
  get isAboutKey(): boolean {
    return this.status === 401 || this.status === 403;
  }
}

interface Sent {
  readonly body?: unknown;
  /** Sent as it is, under its own media type. */
  readonly file?: { readonly content: Blob | string; readonly type: string };
  readonly signal?: AbortSignal | undefined;
  readonly accept?: string;
}

async function send(method: string, path: string, sent: Sent = {}): Promise<Response> {
  const headers: Record<string, string> = { accept: sent.accept ?? 'application/json' };
  if (key.value !== '') headers.authorization = `Bearer ${key.value}`;
  const type = sent.file?.type ?? (sent.body === undefined ? undefined : 'application/json');
  if (type !== undefined) headers['content-type'] = type;
  const response = await fetch(path, {
    method,
    headers,
    body: sent.file?.content ?? (sent.body === undefined ? null : JSON.stringify(sent.body)),
    ...(sent.signal === undefined ? {} : { signal: sent.signal }),
  });
  if (response.ok) return response;
  const text = await response.text();
  const refusal = new Refusal(response.status, errorOf(text, response.status));
  if (refusal.code === 'missing_authorization_header') refuseKey();
  throw refusal;
}

function errorOf(text: string, status: number): Pick<ErrorBody, 'message' | 'code'> {
  try {
    return JSON.parse(text) as ErrorBody;
  } catch {
    return { message: `The server answered with status ${status}.`, code: 'internal' as never };
  }
}

async function call<T>(
  method: string,
  path: string,
  sent?: Sent,
  parse: (text: string) => unknown = JSON.parse,
): Promise<T> {
  const text = await (await send(method, path, sent)).text();
  return (text === '' ? undefined : parse(text)) as T;
}

const part = encodeURIComponent;
const inIndex = (uid: string, rest = ''): string => `/indexes/${part(uid)}${rest}`;

interface Listed<T> {
  readonly results: readonly T[];
  readonly total: number;
}

/** All requests by what they do. */
export const api = {
  version: () => call<{ pkgVersion: string }>('GET', '/version'),

  indexes: () => call<Listed<IndexInfo>>('GET', '/indexes?limit=1000'),
  index: (uid: string) => call<IndexInfo>('GET', inIndex(uid)),
  createIndex: (uid: string, primaryKey: string | null) =>
    call<TaskSummary>('POST', '/indexes', { body: { uid, primaryKey } }),
  deleteIndex: (uid: string) => call<TaskSummary>('DELETE', inIndex(uid)),
  stats: (uid: string) => call<IndexStats>('GET', inIndex(uid, '/stats')),

  search: (queries: readonly SearchQuery[], signal?: AbortSignal) =>
    call<Listed<SearchAnswer>>('POST', '/multi-search', { body: { queries }, signal }),

  documents: (uid: string, offset: number, limit: number, filter: string) =>
    call<Listed<Document>>(
      'POST',
      inIndex(uid, '/documents/fetch'),
      { body: { offset, limit, ...(filter === '' ? {} : { filter }) } },
      parseExactly,
    ),
  addDocuments: (uid: string, content: Blob | string, type: string) =>
    call<TaskSummary>('POST', inIndex(uid, '/documents'), { file: { content, type } }),
  deleteDocument: (uid: string, id: string) =>
    call<TaskSummary>('DELETE', inIndex(uid, `/documents/${part(id)}`)),

  settings: (uid: string) => call<Settings>('GET', inIndex(uid, '/settings')),
  changeSettings: (uid: string, body: Settings) =>
    call<TaskSummary>('PATCH', inIndex(uid, '/settings'), { body }),

  tasks: (query: URLSearchParams) => call<Page<Task>>('GET', `/tasks?${query}`),
  task: (uid: number) => call<Task>('GET', `/tasks/${uid}`),
  cancelTask: (uid: number) => call<TaskSummary>('POST', `/tasks/cancel?uids=${uid}`),
  batches: (limit: number) => call<Page<Batch>>('GET', `/batches?limit=${limit}`),
  /** A batch for each change of progress or status, until the signal or the server ends it. */
  async *batchStream(signal: AbortSignal): AsyncGenerator<Batch> {
    const accept = 'application/x-ndjson';
    const { body } = await send('GET', '/batches/stream', { accept, signal });
    if (body === null) return;
    for await (const line of linesOf(body)) if (line !== '') yield JSON.parse(line) as Batch;
  },

  keys: () => call<Listed<ApiKey>>('GET', '/keys?limit=1000'),
  createKey: (body: Omit<NewKey, 'uid'>) => call<ApiKey>('POST', '/keys', { body }),
  deleteKey: (uid: string) => call<undefined>('DELETE', `/keys/${part(uid)}`),

  features: () => call<Readonly<Record<Feature, boolean>>>('GET', '/experimental-features'),

  chats: () => call<Listed<{ uid: string }>>('GET', '/chats?limit=1000'),
  /** The data of the events of an answer. */
  async *chat(uid: string, body: unknown, signal: AbortSignal): AsyncGenerator<string> {
    const path = `/chats/${part(uid)}/chat/completions`;
    const answer = await send('POST', path, { body, signal, accept: 'text/event-stream' });
    if (answer.body === null) return;
    for await (const line of linesOf(answer.body)) {
      if (line.startsWith('data:')) yield line.slice('data:'.length).trim();
    }
  },
};
