import { readdirSync, readFileSync } from 'node:fs';
import { inRoot } from '../../scripts/paths.mjs';

/** An example of the documentation. */
export interface Example {
  /** File and line, for messages. */
  readonly place: string;
  readonly code: string;
}

/** What examples without imports find there. */
const BEFORE = `import { filter, Serval } from 'serval';
interface Movie { id: number; title: string; year: number; genres: string[] }
const db = await Serval.memory();
const movies = db.index<Movie>('movies');
await movies.updateSettings({
  filterableAttributes: ['id', 'genres', 'year'],
  sortableAttributes: ['year'],
});
await (await movies.addDocuments([
  { id: 1, title: 'The Godfather', year: 1972, genres: ['Crime', 'Drama'] },
  { id: 2, title: 'The Gold Rush', year: 1925, genres: ['Comedy'] },
  { id: 3, title: 'Stalker', year: 1979, genres: ['Drama'] },
])).wait();
void filter;
`;
const AFTER = 'await db.close();\n';

/** The TypeScript blocks of a page. */
export function examplesOfPage(path: string): Example[] {
  return blocks(readFileSync(inRoot(path), 'utf8'), path);
}

/** The TypeScript blocks in the comments of the public interface. */
export function examplesOfComments(): Example[] {
  const paths = ['src/serval.ts', ...filesOf('src/embedded')];
  return paths.flatMap((path) => {
    const text = readFileSync(inRoot(path), 'utf8');
    return blocks(text.replaceAll(/^ *\* ?/gm, ''), path);
  });
}

function filesOf(folder: string): string[] {
  return readdirSync(inRoot(folder)).map((name) => `${folder}/${name}`);
}

function blocks(text: string, path: string): Example[] {
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(({ 1: code = '', index }) => {
    const line = text.slice(0, index).split('\n').length;
    const isWhole = /^import /m.test(code);
    return { place: `${path}:${line}`, code: isWhole ? code : BEFORE + code + AFTER };
  });
}

/** What an example says that it prints: the comments behind its calls of `console.log`. */
export function promisedOutput(code: string): string {
  return [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)]
    .map(([, said]) => `${said}\n`)
    .join('');
}
