import { fileSizes } from '../native/engine.js';

/** What the files of an index hold, by the end of their names. */
const CONTENTS: Readonly<Record<string, string>> = {
  attr: 'attributeColumns',
  doc: 'documents',
  fast: 'documentNumbers',
  fieldnorm: 'documentNumbers',
  fwd: 'forwardIndex',
  idx: 'wordPostings',
  pos: 'wordPostings',
  store: 'documents',
  term: 'words',
  vectors: 'vectors',
  zdict: 'documents',
};
const OTHER = 'other';

/** Bytes of all files under a folder; files that vanish meanwhile count as nothing. */
export async function folderSize(folder: string): Promise<number> {
  return Object.values(await fileSizes(folder)).reduce((sum, size) => sum + size, 0);
}

/** Bytes of the folder of an index by what they hold, in order of name. */
export async function sizesByContent(folder: string): Promise<Record<string, number>> {
  const sizes: Record<string, number> = {};
  for (const [ending, size] of Object.entries(await fileSizes(folder))) {
    const content = CONTENTS[ending] ?? OTHER;
    sizes[content] = (sizes[content] ?? 0) + size;
  }
  return Object.fromEntries(Object.entries(sizes).sort(([a], [b]) => (a < b ? -1 : 1)));
}
