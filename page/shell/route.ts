import { signal } from '@preact/signals';

/** Views about one index. */
export const INDEX_VIEWS = ['search', 'documents', 'settings'] as const;
/** Views about the server. */
export const SERVER_VIEWS = ['tasks', 'keys', 'chat'] as const;

export type IndexView = (typeof INDEX_VIEWS)[number];
export type View = IndexView | (typeof SERVER_VIEWS)[number] | 'new';

/** Where the page is: what the hash of its address says. */
export interface Route {
  readonly view: View;
  /** Empty when the address names none. */
  readonly indexUid: string;
}

const VIEWS: readonly string[] = [...INDEX_VIEWS, ...SERVER_VIEWS, 'new'];

/** Reads a hash such as `#/search/movies`; what is no view is the search. */
export function readRoute(hash: string): Route {
  const [view = '', uid = ''] = hash.replace(/^#\/?/, '').split('/');
  return { view: (VIEWS.includes(view) ? view : 'search') as View, indexUid: decode(uid) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** The address of a view. */
export function hashOf(view: View, indexUid = ''): string {
  return indexUid === '' ? `#/${view}` : `#/${view}/${encodeURIComponent(indexUid)}`;
}

/** Where the page is now. */
export const route = signal(readRoute(location.hash));
addEventListener('hashchange', () => {
  route.value = readRoute(location.hash);
});

/** Goes to a view. */
export function goTo(view: View, indexUid = ''): void {
  location.hash = hashOf(view, indexUid);
}
