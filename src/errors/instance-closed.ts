import { ApiError } from './api-error.js';

/** The refusal of anything that is asked of an instance after it was closed. */
export function instanceClosed(): ApiError {
  return new ApiError('invalid_state', 'The instance is closed.');
}
