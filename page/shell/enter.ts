import { api, Refusal } from '../api/client.js';
import { loadChat, loadIndexes } from './indexes.js';
import { asksForKey, key, refuseKey, useKey } from './session.js';

/** What a header of a request may hold. */
const SENDABLE = /^[\x20-\x7e\x80-\xff]*$/;

/** What came of trying a key. */
export type Entry = 'in' | 'refused' | 'unreachable';

/**
 * Tries the key of the session. One that neither lists indexes nor searches opens nothing of the page: then the key is
 * asked for.
 */
export async function enter(): Promise<Entry> {
  try {
    await api.indexes().catch(async (error: unknown) => {
      if (!(error instanceof Refusal && error.status === 403)) throw error;
      await api.search([]);
    });
    await Promise.all([loadIndexes(), loadChat()]);
    asksForKey.value = false;
    return 'in';
  } catch (error) {
    if (error instanceof Refusal && error.isAboutKey) {
      refuseKey();
      return 'refused';
    }
    asksForKey.value = true;
    return 'unreachable';
  }
}

/** Tries another key; a refused one is not kept. */
export async function enterWith(text: string): Promise<Entry> {
  const wanted = text.trim();
  // The browser sends no such header, and calls it a failure of the network.
  if (!SENDABLE.test(wanted)) return 'refused';
  useKey(wanted);
  const entry = await enter();
  if (entry !== 'in') key.value = '';
  return entry;
}
