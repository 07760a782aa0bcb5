import {
  checkIndex as nativeCheckIndex,
  checkStore as nativeCheckStore,
} from '../../native/binding.cjs';
import type { IndexCheck } from './engine-index.js';
import { unwrap } from './unwrap.js';

/** Reads every file of the index in a folder that nobody writes to. */
export async function checkIndexFolder(folder: string): Promise<IndexCheck> {
  return unwrap(await nativeCheckIndex(folder));
}

/** What is wrong with the store of a data folder; nothing when it is intact. */
export async function checkStore(folder: string): Promise<readonly string[]> {
  return unwrap(await nativeCheckStore(folder));
}
