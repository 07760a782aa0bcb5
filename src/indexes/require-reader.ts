import { ApiError } from '../errors/api-error.js';

/** Where indexes are found by their uids. */
export interface ReaderSource<Reader> {
  readonly indexes: { reader(uid: string): Promise<Reader | undefined> };
}

/** The error of an index that does not exist. */
export function indexNotFound(uid: string): ApiError {
  return new ApiError('index_not_found', `Index \`${uid}\` not found.`);
}

/** What reads from an index that must exist. */
export async function requireReader<Reader>(
  { indexes }: ReaderSource<Reader>,
  uid: string,
): Promise<Reader> {
  const reader = await indexes.reader(uid);
  if (reader === undefined) throw indexNotFound(uid);
  return reader;
}
