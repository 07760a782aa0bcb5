/** What is said of a filter that chooses nothing in particular. */
export function emptyFilter(filter: unknown): string | undefined {
  const isEmpty = filter === '' || (Array.isArray(filter) && filter.length === 0);
  return isEmpty ? 'Sending an empty filter is forbidden.' : undefined;
}
