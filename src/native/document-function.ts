import { checkFunction as nativeCheckFunction } from '../../native/binding.cjs';
import { unwrap } from './unwrap.js';

/** Why a function that edits documents cannot be compiled; `undefined` when it can. */
export async function checkFunction(text: string): Promise<string | undefined> {
  const outcome = await nativeCheckFunction(text);
  if ('error' in outcome && outcome.error.code === 'bad_request') return outcome.error.message;
  unwrap(outcome);
  return undefined;
}
