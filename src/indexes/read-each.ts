/** Indexes that are read at a time: more would keep searches waiting. */
const AT_A_TIME = 4;

/**
 * Reads something from each of many indexes, a few at a time. What cannot be read, because the index
 * is damaged or gone, is missing, and does not keep the others away.
 */
export async function readEach<R, T>(
  indexes: { reader(uid: string): Promise<R | undefined> },
  uids: Iterable<string>,
  read: (reader: R) => Promise<T>,
): Promise<Map<string, T>> {
  const found = new Map<string, T | undefined>();
  const waiting = uids[Symbol.iterator]();
  const readOnAndOn = async () => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) {
      const uid = next.value;
      // Its place, so that the order is that of the uids.
      found.set(uid, undefined);
      try {
        const reader = await indexes.reader(uid);
        if (reader !== undefined) found.set(uid, await read(reader));
      } catch {
        // It is missing.
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, readOnAndOn));
  const isThere = (entry: [string, T | undefined]): entry is [string, T] => entry[1] !== undefined;
  return new Map([...found].filter(isThere));
}
