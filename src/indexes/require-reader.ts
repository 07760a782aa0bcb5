import { indexNotFound } from '../errors/not-found.js';

/** Where indexes are found by their uids. */
export interface ReaderSource<Reader> {
  readonly indexes: { reader(uid: string): Promise<Reader | undefined> };
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
