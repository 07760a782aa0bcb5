import type { FetchDocuments } from '../documents/documents-request.js';
import { ApiError, type ErrorBody, errorBody } from '../errors/api-error.js';
import type { SearchStop } from '../native/search-stop.js';
import { neededRemotes } from '../network/needed-remotes.js';
import { nothingAsked } from './ask-servers.js';
import type { ReadServices } from './services.js';

/** Documents of one index that are wanted, wherever they are. */
interface Wanted {
  readonly indexUid: string;
  readonly request: FetchDocuments;
}

/** A part of a listing: its documents as JSON text, without the brackets, and how many there are. */
interface Listed {
  readonly documents: string;
  readonly total: number;
  readonly given: number;
}

/** What ends a listing of documents; no document can hold it outside of a string or an array. */
const LISTING_END = /\],"offset":(\d+),"limit":(\d+),"total":(\d+)\}$/;

const DEFAULT_LIMIT = 20;

/**
 * A page of the documents of all servers: first those of this one, then those of the others in the
 * order of their names. Each is asked for its share of the page once the ones before have told how
 * many documents they have.
 */
export async function documentsOverNetwork(
  { indexUid, request }: Wanted,
  here: (request: FetchDocuments) => Promise<Buffer>,
  services: ReadServices,
  stop: SearchStop,
): Promise<Buffer> {
  if (request.sort != null && request.sort.length > 0) {
    throw new ApiError(
      'invalid_document_sort',
      'Documents of several servers cannot be sorted: remove `sort` or `useNetwork`.',
    );
  }
  const { offset = 0, limit = DEFAULT_LIMIT } = request;
  const left = { offset, limit, total: 0 };
  const documents: string[] = [];
  const take = ({ documents: text, given, total }: Listed): void => {
    if (given > 0) documents.push(text);
    left.offset = Math.max(0, left.offset - total);
    left.limit -= given;
    left.total += total;
  };
  const next = () => ({ ...request, offset: left.offset, limit: left.limit });
  take(listed(await here(next()), left) as Listed);
  const remoteErrors = await askInTurn({ indexUid, services, stop }, async (ask) => {
    const part = await ask(next());
    if (part === undefined) return false;
    take(part);
    return true;
  });
  const tail = `"offset":${offset},"limit":${limit},"total":${left.total}`;
  const errors = JSON.stringify(remoteErrors);
  return Buffer.from(`{"results":[${documents.join(',')}],${tail},"remoteErrors":${errors}}`);
}

/** A document that this server does not have, from the first other one that does. */
export async function documentElsewhere(
  { indexUid, request }: Wanted,
  services: ReadServices,
  stop: SearchStop,
): Promise<Buffer | undefined> {
  let found: string | undefined;
  await askInTurn({ indexUid, services, stop }, async (ask) => {
    if (found !== undefined) return true;
    const part = await ask(request);
    if (part !== undefined && part.given > 0) found = part.documents;
    return part !== undefined;
  });
  return found === undefined ? undefined : Buffer.from(found);
}

type Ask = (request: FetchDocuments) => Promise<Listed | undefined>;

/** Goes through the other servers by name, and through those that stand in for them. */
async function askInTurn(
  { indexUid, services, stop }: { indexUid: string; services: ReadServices; stop: SearchStop },
  each: (ask: Ask) => Promise<boolean>,
): Promise<Record<string, ErrorBody>> {
  const { network, remotes } = services;
  const path = `/indexes/${indexUid}/documents/fetch`;
  const remoteErrors: Record<string, ErrorBody> = {};
  const answered = new Set<string>();
  const failed = new Set<string>();
  const asked = { ...nothingAsked(network), answered, failed };
  const next = () => neededRemotes(network.current, asked).sort()[0];
  for (let remote = next(); remote !== undefined; remote = next()) {
    const name = remote;
    const isDone = await each(async ({ useNetwork: _, ...body }) => {
      const call = { remote: name, path, body, metadata: false, readsDocuments: true };
      const answer = await remotes.ask({ ...call, signal: stop.signal });
      const part = 'error' in answer ? answer.error : listed(answer.answer, body);
      if ('given' in part) return part;
      remoteErrors[name] = part;
      return undefined;
    });
    (isDone ? answered : failed).add(name);
  }
  return remoteErrors;
}

/** The documents of an answer, or the error that stands for it. */
function listed(answer: Buffer, { offset = 0, limit = DEFAULT_LIMIT }: FetchDocuments) {
  const text = answer.toString();
  const end = LISTING_END.exec(text);
  if (end === null || !text.startsWith('{"results":[')) {
    return errorBody(
      'remote_bad_response',
      'could not parse response from the remote host as a list of documents',
    );
  }
  const total = Number(end[3]);
  const given = Math.max(0, Math.min(limit, total - offset));
  return { documents: text.slice('{"results":['.length, end.index), total, given };
}
