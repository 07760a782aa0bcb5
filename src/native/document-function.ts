import { checkFunction as nativeCheckFunction } from '../../native/binding.cjs';

/** Why a function that edits documents cannot be compiled; `undefined` when it can. */
export async function checkFunction(text: string): Promise<string | undefined> {
  const outcome = await nativeCheckFunction(text);
  return 'error' in outcome ? outcome.error.message : undefined;
}
