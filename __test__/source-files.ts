import { readdirSync, readFileSync } from 'node:fs';
import { inRoot } from '../scripts/paths.mjs';

/** A file of the repository by its path with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** The files below a folder whose names end so; a folder that does not exist has none. */
export function sourceFiles(folder: string, ending: string): SourceFile[] {
  return readdirSync(inRoot(folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith(ending) && !/\/(target|node_modules)\//.test(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(inRoot(path), 'utf8') }));
}
