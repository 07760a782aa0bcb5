import { createHash, type Hash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { innermostReason, reasonOf } from '../errors/error-reason.js';
import { RejectedIpError } from '../outgoing/rejected-ip-error.js';
import { doublingPauses, PassingFailure, withRetries } from '../waiting/with-retries.js';
import { EmbeddingError } from './embedding-error.js';
import type { Fetch } from './embedding-request.js';

const PAUSES = doublingPauses(1000, 3);
const MAX_REDIRECTS = 6;

/** A file of a model on a hub. */
export interface RemoteFile {
  readonly url: string;
  /** Where it is put. */
  readonly path: string;
  readonly maxBytes: number;
}

/** What a hub said of a file. */
export interface Downloaded {
  /** The commit that the file belongs to. */
  readonly commit: string | undefined;
}

/** What the headers of an answer, and of the redirects to it, promise. */
interface Promised {
  commit: string | undefined;
  bytes: number | undefined;
  etag: string | undefined;
}

/**
 * Downloads a file and checks its length and, where the hub gives one, its checksum; nothing when
 * the hub has no such file for everybody.
 */
export async function downloadFile(
  send: Fetch,
  file: RemoteFile,
  signal: AbortSignal,
): Promise<Downloaded | undefined> {
  try {
    return await withRetries(() => download(send, file, signal), PAUSES, signal);
  } catch (error) {
    if (error instanceof EmbeddingError) throw error;
    const reason = reasonOf(signal.aborted ? signal.reason : error);
    throw new EmbeddingError('runtime', `could not download \`${file.url}\`: ${reason}`);
  }
}

/** The failure of a download that may succeed when it is begun again. */
const interruption = (reason: string): Error => new PassingFailure(new Error(reason));

async function download(
  send: Fetch,
  { url, path, maxBytes }: RemoteFile,
  signal: AbortSignal,
): Promise<Downloaded | undefined> {
  const { response, promised } = await follow(send, url, signal);
  const { status } = response;
  if (status !== 200) {
    await response.body?.cancel();
    if (status === 401 || status === 403 || status === 404) return undefined;
    const reason = `the hub answered ${status}`;
    throw status >= 500 || status === 429 ? interruption(reason) : new Error(reason);
  }
  const length = promised.bytes ?? numberOf(response.headers.get('content-length'));
  const sum = checksum(promised.etag, length);
  const bytes = await save(response, { path, maxBytes, sum }, signal);
  if (length !== undefined && bytes !== length) {
    throw interruption(`${bytes} of ${length} bytes came`);
  }
  if (sum !== undefined && sum.hash.digest('hex') !== sum.expected) {
    throw interruption('its checksum is wrong');
  }
  return { commit: promised.commit };
}

/** Follows redirects by hand: what they promise of the file is gone in the last answer. */
async function follow(send: Fetch, start: string, signal: AbortSignal) {
  const promised: Promised = { commit: undefined, bytes: undefined, etag: undefined };
  let url = start;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const response = await interrupted(() =>
      send(url, {
        headers: { 'accept-encoding': 'identity' },
        redirect: 'manual',
        signal,
      }),
    );
    const header = (name: string) => response.headers.get(name) ?? undefined;
    promised.commit ??= commitOf(header('x-repo-commit'));
    promised.bytes ??= numberOf(header('x-linked-size') ?? null);
    promised.etag ??=
      header('x-linked-etag') ?? (response.status === 200 ? header('etag') : undefined);
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || location === null) {
      return { response, promised };
    }
    await response.body?.cancel();
    url = new URL(location, url).href;
  }
  throw new Error('too many redirects');
}

interface Checksum {
  readonly hash: Hash;
  readonly expected: string;
}

/** Tags are SHA-256 of large files, and what git calls small ones. */
function checksum(etag: string | undefined, bytes: number | undefined): Checksum | undefined {
  const expected = etag?.replace(/^W\//, '').replaceAll('"', '') ?? '';
  if (/^[0-9a-f]{64}$/.test(expected)) return { hash: createHash('sha256'), expected };
  if (/^[0-9a-f]{40}$/.test(expected) && bytes !== undefined) {
    return { hash: createHash('sha1').update(`blob ${bytes}\0`), expected };
  }
  return undefined;
}

async function save(
  response: Response,
  to: { path: string; maxBytes: number; sum: Checksum | undefined },
  signal: AbortSignal,
): Promise<number> {
  const file = await open(to.path, 'w');
  let bytes = 0;
  try {
    for await (const part of response.body ?? []) {
      signal.throwIfAborted();
      bytes += part.byteLength;
      if (bytes > to.maxBytes) {
        throw new EmbeddingError('runtime', `the file is larger than ${to.maxBytes} bytes`);
      }
      to.sum?.hash.update(part);
      await file.writeFile(part);
    }
    await file.sync();
  } catch (error) {
    if (error instanceof EmbeddingError) throw error;
    throw interruption(reasonOf(error));
  } finally {
    await file.close();
  }
  return bytes;
}

async function interrupted<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RejectedIpError) throw error;
    throw interruption(innermostReason(error));
  }
}

function commitOf(header: string | undefined): string | undefined {
  return header !== undefined && /^[0-9a-f]{40}$/.test(header) ? header : undefined;
}

function numberOf(header: string | null): number | undefined {
  const number = Number(header ?? Number.NaN);
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}
