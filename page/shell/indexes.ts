import { computed, signal } from '@preact/signals';
import { api, type IndexInfo, Refusal } from '../api/client.js';
import { route } from './route.js';

/** The indexes of the server; undefined when the key may not list them. */
export const indexes = signal<readonly IndexInfo[] | undefined>([]);
/** Whether the server answers on chats with this key. */
export const hasChat = signal(false);
/** The index that was last looked at, kept on views about the server. */
const lastIndex = signal('');

/** The index in view: that of the address, else the last one, else the first. */
export const indexUid = computed(
  () => route.value.indexUid || lastIndex.value || indexes.value?.[0]?.uid || '',
);

/** Remembers the index of the address. */
export function rememberIndex(): void {
  if (route.value.indexUid !== '') lastIndex.value = route.value.indexUid;
}

/** Forgets an index that is gone. */
export function forgetIndex(): void {
  lastIndex.value = '';
}

/** Lists the indexes anew. */
export async function loadIndexes(): Promise<void> {
  try {
    const { results } = await api.indexes();
    const isListed = (list: typeof indexes.value) =>
      list?.some(({ uid }) => uid === lastIndex.value);
    const isGone = isListed(indexes.value) === true && isListed(results) !== true;
    indexes.value = results;
    if (isGone) forgetIndex();
  } catch (error) {
    if (!(error instanceof Refusal && error.status === 403)) throw error;
    indexes.value = undefined;
  }
}

/** Finds out whether there is something to chat with. */
export async function loadChat(): Promise<void> {
  try {
    // A browser shows each refusal to its user: where chats are off, they are not asked for.
    hasChat.value = (await areChatsOn()) && (await api.chats().then(() => true));
  } catch {
    hasChat.value = false;
  }
}

/** Whether chats are switched on, or may be: not every key may know. */
async function areChatsOn(): Promise<boolean> {
  return api.features().then(
    ({ chatCompletions }) => chatCompletions,
    () => true,
  );
}
