import { signal } from '@preact/signals';

const STORED_AS = 'serval-key';

/** The key that requests carry; empty without one. It is forgotten with the tab. */
export const key = signal(sessionStorage.getItem(STORED_AS) ?? '');

/** Whether the server wants a key, or another one. */
export const asksForKey = signal(false);

/** Keeps a key for this tab. */
export function useKey(text: string): void {
  sessionStorage.setItem(STORED_AS, text);
  key.value = text;
}

/** Forgets the key and asks for one. */
export function refuseKey(): void {
  sessionStorage.removeItem(STORED_AS);
  key.value = '';
  asksForKey.value = true;
}
