import { type Access, ruleFilter, seesIndex } from '../auth/access.js';

/** Where another index is, and what the sender may see of it, as the engine takes it. */
interface ForeignPlace {
  readonly folder: string;
  readonly filter: unknown;
}

/** Opens the index of a uid and tells the folder it is in; `undefined` without that index. */
export type OpenFolder = (uid: string) => Promise<string | undefined>;

/**
 * The indexes that the foreign keys of one lead to, as far as the sender may search them. One that
 * is not there or cannot be opened is left out: keys into it stay ids.
 */
export async function foreignIndexes(
  foreignUids: readonly string[],
  access: Access,
  openFolder: OpenFolder,
): Promise<Readonly<Record<string, ForeignPlace>>> {
  const seen = foreignUids.filter((uid) => seesIndex(access, uid));
  const places = await Promise.all(
    seen.map(async (uid): Promise<[string, ForeignPlace][]> => {
      const folder = await openFolder(uid).catch(() => undefined);
      return folder === undefined ? [] : [[uid, { folder, filter: ruleFilter(access, uid) }]];
    }),
  );
  return Object.fromEntries(places.flat());
}
