import { readdir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** A file and its size in bytes. */
interface SizedFile {
  readonly name: string;
  readonly size: number;
}

/** What the files of an index hold, by the end of their names. */
const CONTENTS: Readonly<Record<string, string>> = {
  '.attr': 'attributeColumns',
  '.doc': 'documents',
  '.fast': 'documentNumbers',
  '.fieldnorm': 'documentNumbers',
  '.fwd': 'forwardIndex',
  '.idx': 'wordPostings',
  '.pos': 'wordPostings',
  '.store': 'documents',
  '.term': 'words',
  '.vectors': 'vectors',
  '.zdict': 'documents',
};
const OTHER = 'other';

/** Bytes of all files under a folder; files that vanish meanwhile count as nothing. */
export async function folderSize(folder: string): Promise<number> {
  return (await sizedFiles(folder)).reduce((sum, { size }) => sum + size, 0);
}

/** Bytes of the folder of an index by what they hold, in order of name. */
export async function sizesByContent(folder: string): Promise<Record<string, number>> {
  const sizes: Record<string, number> = {};
  for (const { name, size } of await sizedFiles(folder)) {
    const content = CONTENTS[extname(name)] ?? OTHER;
    sizes[content] = (sizes[content] ?? 0) + size;
  }
  return Object.fromEntries(Object.entries(sizes).sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function sizedFiles(folder: string): Promise<SizedFile[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(
    files.map(({ name, parentPath }) =>
      stat(join(parentPath, name)).then(
        ({ size }) => ({ name, size }),
        () => ({ name, size: 0 }),
      ),
    ),
  );
}
