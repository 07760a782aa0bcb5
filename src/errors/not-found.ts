import { ApiError } from './api-error.js';

/** The error of an index that does not exist. */
export function indexNotFound(uid: string): ApiError {
  return new ApiError('index_not_found', `Index \`${uid}\` not found.`);
}

/** The error of a document that its index does not have. */
export function documentNotFound(id: string | number): ApiError {
  return new ApiError('document_not_found', `Document \`${id}\` not found.`);
}

/** The error of a task that there is not, or no more. */
export function taskNotFound(uid: string | number): ApiError {
  return new ApiError('task_not_found', `Task \`${uid}\` not found.`);
}
