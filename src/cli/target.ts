import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, EXIT, usageError } from './exit-code.js';
import type { Given } from './given.js';
import { ServerTarget } from './server-target.js';

/** A task as far as commands look. */
export interface TargetTask {
  readonly uid: number;
  readonly status: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: string; readonly message: string } | null;
}

/** An index as far as commands look. */
export interface TargetIndex {
  readonly uid: string;
  readonly primaryKey: string | null;
}

/** An API key as far as commands look. */
export interface TargetKey {
  readonly uid: string;
  readonly key: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly actions: readonly string[];
  readonly indexes: readonly string[];
  readonly expiresAt: string | null;
}

/** What is said of a new key. */
export type NewTargetKey = Omit<TargetKey, 'uid' | 'key'> & { readonly uid?: string };

/** Documents as they are sent: bytes of a format. */
export interface DocumentBatch {
  readonly bytes: Buffer;
  readonly format: 'json' | 'ndjson' | 'csv';
  readonly csvDelimiter?: string;
  readonly primaryKey?: string | undefined;
  /** Changed fields of documents rather than whole ones. */
  readonly isUpdate?: boolean;
}

/** Which documents are read. */
export interface DocumentsRequest {
  readonly offset: number;
  readonly limit: number;
  readonly filter?: string | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly retrieveVectors?: boolean | undefined;
}

/** What commands work on: a running server, or a data folder. */
export interface Target {
  /** Where it is, for people. */
  readonly place: string;
  indexes(): Promise<readonly TargetIndex[]>;
  createIndex(uid: string, primaryKey: string | null): Promise<number>;
  settings(uid: string): Promise<Record<string, unknown>>;
  updateSettings(uid: string, settings: Readonly<Record<string, unknown>>): Promise<number>;
  countDocuments(uid: string): Promise<number>;
  /** Names of the attributes that documents have. */
  attributes(uid: string): Promise<readonly string[]>;
  /** Adds documents and returns the uid of the task. */
  addDocuments(uid: string, batch: DocumentBatch): Promise<number>;
  /** A page of documents as JSON. */
  documents(uid: string, request: DocumentsRequest): Promise<Buffer>;
  search(uid: string, request: Readonly<Record<string, unknown>>): Promise<Buffer>;
  createDump(): Promise<number>;
  createSnapshot(): Promise<number>;
  /** The task once it has ended. */
  ended(taskUid: number): Promise<TargetTask>;
  keys(): Promise<readonly TargetKey[]>;
  createKey(key: NewTargetKey): Promise<TargetKey>;
  deleteKey(uidOrKey: string): Promise<void>;
  close(): Promise<void>;
}

const DEFAULT_URL = 'http://127.0.0.1:7700';

/** What a command line names; `mayCreate` lets it be a data folder that is not there yet. */
export async function openTarget(
  given: Given,
  signal: AbortSignal,
  { mayCreate = false }: { readonly mayCreate?: boolean } = {},
): Promise<Target> {
  const folder = given.text('db-path');
  const key = given.text('api-key');
  if (folder === undefined) return new ServerTarget(given.text('url') ?? DEFAULT_URL, key, signal);
  if (given.isGiven('url')) throw usageError('--url and --db-path exclude each other');
  if (!mayCreate && !existsSync(join(folder, 'VERSION'))) {
    throw new CommandError(EXIT.notFound, `there is no data folder at ${folder}`);
  }
  // The engine is loaded only where it is needed.
  const { FolderTarget } = await import('./folder-target.js');
  return FolderTarget.open(folder, key, signal);
}

/** The task once it has succeeded; throws its error. */
export async function succeeded(target: Target, taskUid: number): Promise<TargetTask> {
  const task = await target.ended(taskUid);
  if (task.status === 'succeeded') return task;
  const reason = task.error?.message ?? `it was ${task.status}`;
  throw new CommandError(EXIT.failed, `task ${taskUid} did not succeed: ${reason}`);
}
