/** Searches, and listings of documents, by method: the addresses that need no second look. */
const READS: ReadonlyMap<string | undefined, RegExp> = new Map([
  ['GET', /^\/indexes\/[\w-]+\/(?:search|similar|documents)$/],
  [
    'POST',
    /^\/(?:multi-search|indexes\/[\w-]+\/(?:search|facet-search|similar|documents\/fetch))$/,
  ],
]);

/** One document. */
const DOCUMENT = /^\/indexes\/[\w-]+\/documents\/([\w-]+)$/;

/** What stands in the place of a document's id on routes of other methods. */
const NAMED = new Set(['fetch', 'edit', 'delete', 'delete-batch']);

/** Whether a request only reads, as far as its first line tells; others may do so as well. */
export function isRead(method: string | undefined, url: string): boolean {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  if (READS.get(method)?.test(path) === true) return true;
  const id = method === 'GET' ? DOCUMENT.exec(path)?.[1] : undefined;
  return id !== undefined && !NAMED.has(id);
}
