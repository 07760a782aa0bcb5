import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An empty folder under its real path, and what removes it. */
export function temporaryFolder(): { readonly path: string; readonly remove: () => void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'serval-faults-')));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
