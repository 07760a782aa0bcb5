import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** One import of a TypeScript file: a path below `src/`, or the name of a package. */
interface Import {
  readonly from: string;
  readonly to: string;
  /** Whether nothing of it is left when the types are gone. */
  readonly typesOnly: boolean;
}

/** Every import, re-export and dynamic import of the product, `from` and `to` relative to the root. */
const imports: readonly Import[] = files(join(ROOT, 'src'), '.ts').flatMap(importsOf);

/** Every import of one file. */
function importsOf(path: string): Import[] {
  const text = readFileSync(path, 'utf8');
  const from = relative(ROOT, path);
  const found = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\b[^;'"]*?\bfrom\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|(?:^|\n)import\s+'([^']+)'/g,
  );
  return [...found].map((match) => {
    const target = match[1] ?? match[2] ?? match[3] ?? '';
    const inside = normalize(join(dirname(from), target)).replace(/\.js$/, '.ts');
    const typesOnly = /^\s*(?:import|export)\s+type\b/.test(match[0]);
    return { from, to: target.startsWith('.') ? inside : target, typesOnly };
  });
}

function files(folder: string, ending: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return files(path, ending);
    return entry.name.endsWith(ending) ? [path] : [];
  });
}

const shown = (found: readonly Import[]): string[] =>
  found.map(({ from, to }) => `${from} -> ${to}`);

/** The imports of a package (or of a part of it) from files outside the given paths. */
function importsElsewhere(target: RegExp, allowed: RegExp): string[] {
  return shown(imports.filter(({ from, to }) => target.test(to) && !allowed.test(from)));
}

describe('of the TypeScript', () => {
  test('imports are found', () => {
    expect(imports.length).toBeGreaterThan(100);
  });

  test.each([
    ['the HTTP framework', /^(fastify|@fastify\/.*)$/, /^src\/http\//],
    ['the native addon', /binding\.cjs$/, /^src\/native\//],
    ['TOML', /^smol-toml$/, /^src\/config\//],
    ['an HTTP client', /^undici$/, /^src\/outgoing\//],
  ])('only one part imports %s', (_, target, allowed) => {
    expect(importsElsewhere(target, allowed)).toEqual([]);
  });

  test('nothing below HTTP imports it', () => {
    const allowed = /^src\/(http\/|main\.ts$|cli\.ts$)/;
    expect(importsElsewhere(/^src\/http\//, allowed)).toEqual([]);
  });

  test('only HTTP, the package entry and the programs import the composition', () => {
    const allowed = /^src\/(http\/|main\.ts$|cli\.ts$|cli\/|index\.ts$)/;
    expect(importsElsewhere(/^src\/serval\.ts$/, allowed)).toEqual([]);
    expect(importsElsewhere(/^src\/assembly\.ts$/, /^src\/serval\.ts$/)).toEqual([]);
  });

  test('nothing imports the programs but their executable', () => {
    expect(importsElsewhere(/^src\/main\.ts$/, /^src\/cli\.ts$/)).toEqual([]);
    expect(importsElsewhere(/^src\/cli\//, /^src\/cli(\.ts$|\/)/)).toEqual([]);
  });

  test('the commands know a server by its interface alone', () => {
    const found = imports.filter(
      ({ from, to }) => /^src\/cli\//.test(from) && /^src\/http\//.test(to),
    );
    expect(shown(found)).toEqual([]);
  });

  test('the embedded API knows neither HTTP nor the composition', () => {
    const found = imports.filter(
      ({ from, to }) => /^src\/embedded\//.test(from) && /^src\/(http\/|serval\.ts$)/.test(to),
    );
    expect(shown(found)).toEqual([]);
  });

  test('errors, the lowest part, import nothing of ours', () => {
    const found = imports.filter(
      ({ from, to }) =>
        from.startsWith('src/errors/') && to.startsWith('src/') && !to.startsWith('src/errors/'),
    );
    expect(shown(found)).toEqual([]);
  });

  test('validation stands on errors alone', () => {
    const found = imports.filter(
      ({ from, to }) =>
        from.startsWith('src/validation/') &&
        to.startsWith('src/') &&
        !/^src\/(validation|errors)\//.test(to),
    );
    expect(shown(found)).toEqual([]);
  });

  test('the facade of the addon knows no feature', () => {
    const found = imports.filter(
      ({ from, to }) =>
        from.startsWith('src/native/') &&
        to.startsWith('src/') &&
        !/^src\/(native|errors)\//.test(to),
    );
    expect(shown(found)).toEqual([]);
  });

  test('parts do not import each other in a circle', () => {
    const ours = imports.filter(({ to, typesOnly }) => to.startsWith('src/') && !typesOnly);
    expect(circles(ours)).toEqual([]);
  });

  test('the page takes types of the server, and of its values only the list of actions', () => {
    const page = [...files(join(ROOT, 'page'), '.ts'), ...files(join(ROOT, 'page'), '.tsx')];
    const taken = page
      .flatMap(importsOf)
      .filter(({ to, typesOnly }) => to.startsWith('src/') && !typesOnly)
      .map(({ to }) => to);
    expect(page.length).toBeGreaterThan(20);
    expect(new Set(taken)).toEqual(new Set(['src/auth/actions.ts']));
    expect(imports.filter(({ to }) => to.startsWith('page/'))).toEqual([]);
    expect(imports.filter(({ from }) => from === 'src/auth/actions.ts')).toEqual([]);
  });

  test('only the program reads the environment, exits or handles signals', () => {
    const found = files(join(ROOT, 'src'), '.ts')
      .filter((path) =>
        /process\s*\.\s*(env|exit|exitCode|on|once)\b/.test(readFileSync(path, 'utf8')),
      )
      .map((path) => relative(ROOT, path));
    expect(found.filter((path) => !/^src\/(main\.ts$|cli\.ts$|cli\/)/.test(path))).toEqual([]);
  });

  test('no file is named after nothing in particular', () => {
    const found = files(join(ROOT, 'src'), '.ts').filter((path) =>
      /\/(utils?|helpers?|common|misc|manager|data|info)\.ts$/.test(path),
    );
    expect(found).toEqual([]);
  });
});

/** Parts that reach themselves through imports, each circle once, as paths. */
function circles(edges: readonly Pick<Import, 'from' | 'to'>[]): string[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const found: string[] = [];
  const finished = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) {
      found.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      return;
    }
    if (finished.has(file)) return;
    for (const target of next.get(file) ?? []) visit(target, [...path, file]);
    finished.add(file);
  };
  for (const file of next.keys()) visit(file, []);
  return found;
}

/** What the crates of the workspace may depend on, of ours and of what is guarded. */
const CRATES: Readonly<Record<string, readonly string[]>> = {
  archive: [],
  text: [],
  filter: [],
  payload: [],
  store: ['rusqlite'],
  vector: [],
  template: [],
  transformer: [],
  format: ['serval-text'],
  engine: ['serval-text', 'serval-filter', 'serval-format', 'serval-vector', 'tantivy'],
  'fuzz-targets': [
    'serval-archive',
    'serval-engine',
    'serval-filter',
    'serval-payload',
    'serval-text',
    'serval-vector',
  ],
};
const GUARDED =
  /^(serval-\w+|napi|napi-derive|tantivy|rusqlite|hyper|axum|reqwest|tokio|actix-web)$/;

/** The names under `[dependencies]` (and its targets) of a manifest; development ones don't count. */
function dependenciesOf(manifest: string): string[] {
  let counts = false;
  return readFileSync(manifest, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const section = /^\[(.+)\]$/.exec(line.trim())?.[1];
      const inHeader = /(?:^|\.)dependencies\.([\w-]+)$/.exec(section ?? '')?.[1];
      if (section !== undefined)
        counts = /(^|\.)dependencies$/.test(section) && section !== 'workspace.dependencies';
      if (section !== undefined)
        return inHeader === undefined || section.startsWith('workspace') ? [] : [inHeader];
      const name = counts ? /^([\w-]+)(?:\.\w+)?\s*=/.exec(line.trim())?.[1] : undefined;
      return name === undefined ? [] : [name];
    });
}

const ENGINE = join(ROOT, 'crates', 'engine', 'src');

/** The folders of the engine that the product in one of its files names, once for each time. */
function foldersNamedIn(path: string): Pick<Import, 'from' | 'to'>[] {
  const file = relative(ENGINE, path);
  const from = /^\w+/.exec(file)?.[0] ?? '';
  const isOnlyForTests = /^(?:testing|fuzzing)\/|\/tests\/|tests\.rs$/.test(file);
  if (isOnlyForTests || from === 'lib') return [];
  const product = readFileSync(path, 'utf8').replace(/#\[cfg\(test\)\]\s*mod \w+ \{[\s\S]*/, '');
  const named = product.replaceAll(/^\s*\/\/.*$/gm, '').matchAll(/\bcrate::(\w+)::/g);
  return [...named].map((match) => ({ from, to: match[1] ?? '' })).filter(({ to }) => to !== from);
}

describe('of the Rust', () => {
  test.each(Object.entries(CRATES))('crate %s depends on %j at most', (crate, allowed) => {
    const guarded = dependenciesOf(join(ROOT, 'crates', crate, 'Cargo.toml')).filter((name) =>
      GUARDED.test(name),
    );
    expect(guarded.filter((name) => !allowed.includes(name))).toEqual([]);
  });

  test('every crate is listed here', () => {
    const crates = readdirSync(join(ROOT, 'crates')).filter((name) =>
      existsSync(join(ROOT, 'crates', name, 'Cargo.toml')),
    );
    expect(crates.filter((name) => name !== 'bench' && !(name in CRATES))).toEqual([]);
  });

  test('folders of the engine do not know each other in a circle', () => {
    const edges = files(ENGINE, '.rs').flatMap(foldersNamedIn);
    expect(edges.length).toBeGreaterThan(100);
    expect(circles(edges)).toEqual([]);
  });

  test('only the addon names the binding to Node', () => {
    expect(dependenciesOf(join(ROOT, 'Cargo.toml'))).toContain('napi');
    const named = files(join(ROOT, 'crates'), '.rs')
      .filter((path) => /\b(?:use napi|napi::|napi_derive)/.test(readFileSync(path, 'utf8')))
      .map((path) => relative(ROOT, path));
    expect(named.filter((path) => !path.startsWith('crates/binding/'))).toEqual([]);
  });
});
