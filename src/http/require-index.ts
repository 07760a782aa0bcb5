import { ApiError } from '../errors/api-error.js';
import type { IndexReader, Services } from './services.js';

/** The error of an index that does not exist. */
export function indexNotFound(uid: string): ApiError {
  return new ApiError('index_not_found', `Index \`${uid}\` not found.`);
}

/** What reads from an index that must exist. */
export async function requireReader(services: Services, uid: string): Promise<IndexReader> {
  const reader = await services.indexes.reader(uid);
  if (reader === undefined) throw indexNotFound(uid);
  return reader;
}
