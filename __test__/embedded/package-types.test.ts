import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { expect, onTestFinished, test } from 'vitest';
import { inRoot, npmTool, scratch } from '../../scripts/paths.mjs';
import type { Settings, SettingsChange } from '../../src/embedded/settings-types.js';
import type { SettingsChange as Decoded } from '../../src/settings/settings-schema.js';

const run = promisify(execFile);
const MINUTE_MS = 60_000;

/** The same program in both kinds of modules. */
const KINDS = ['mts', 'cts'] as const;

test('the published types complete and refuse names of attributes, for import and for require', {
  timeout: 2 * MINUTE_MS,
}, async () => {
  // Inside the repository, so that `serval` is this package, through its exports.
  const folder = join(scratch, 'typed-program');
  mkdirSync(folder, { recursive: true });
  const program = readFileSync(inRoot('__test__', 'embedded', 'typed-program.ts'), 'utf8');
  const files = KINDS.map((kind) => join(folder, `program.${kind}`));
  for (const file of files) writeFileSync(file, program.replace('../../src/index.js', 'serval'));
  const flags = ['--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,esnext.disposable'];
  const checks = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--types', 'node'];
  const args = [npmTool('typescript', 'tsc'), ...flags, ...checks, ...files];
  const said = await run(process.execPath, args).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );

  expect(said).toBe('');
});

test('programs for an older version of the language are compiled with all types looked at', {
  timeout: 2 * MINUTE_MS,
}, async () => {
  const folder = join(scratch, 'older-target');
  mkdirSync(folder, { recursive: true });
  const program = join(folder, 'program.mts');
  writeFileSync(program, "export { Serval } from 'serval';\n");
  const flags = ['--module', 'nodenext', '--target', 'es2020', '--strict', '--noEmit'];
  const args = [npmTool('typescript', 'tsc'), ...flags, '--types', 'node', program];
  const said = await run(process.execPath, args).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );

  expect(said).toBe('');
});

test('programs that look modules up in the older way, as frameworks set it up, find the types, too', {
  timeout: 2 * MINUTE_MS,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'serval-older-lookup-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(inRoot(), join(folder, 'node_modules', 'serval'), 'dir');
  const program = join(folder, 'program.ts');
  const lines = [
    "import { Serval } from 'serval';",
    'export const opened: Promise<Serval> = Serval.memory();',
  ];
  writeFileSync(program, lines.join('\n'));
  const lookup = ['--module', 'esnext', '--moduleResolution', 'node10', '--target', 'es2023'];
  const flags = ['--lib', 'es2023,esnext.disposable', '--strict', '--skipLibCheck', '--noEmit'];
  const roots = ['--types', 'node', '--typeRoots', inRoot('node_modules', '@types')];
  const args = [npmTool('typescript', 'tsc'), ...lookup, ...flags, ...roots, program];
  const said = await run(process.execPath, args, { cwd: folder }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );

  expect(said).toBe('');
});

test('the published types name no package that is not installed with this one', () => {
  const folder = inRoot('dist', 'types');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.d.ts'),
  );
  const named = files.flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    return [...text.matchAll(/(?:from|import\()\s*['"]([^.'"][^'"]*)['"]/g)].map(([, to]) => to);
  });

  expect(files).toContain('index.d.ts');
  expect([...new Set(named)].filter((name) => !name?.startsWith('node:'))).toEqual([]);
});

test('every type that the published types name has a name for programs, too', () => {
  const entry = inRoot('dist', 'types', 'index.d.ts');
  const { NodeNext } = ts.ModuleKind;
  const program = ts.createProgram([entry], {
    module: NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
  });
  const checker = program.getTypeChecker();
  const aliased = (symbol: ts.Symbol): ts.Symbol =>
    (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
  const file = program.getSourceFile(entry);
  const module = file && checker.getSymbolAtLocation(file);
  const exported = new Set(module && checker.getExportsOfModule(module).map(aliased));
  const reached = new Set<ts.Symbol>();
  const reach = (symbol: ts.Symbol): void => {
    if (reached.has(symbol)) return;
    reached.add(symbol);
    for (const declaration of symbol.declarations ?? []) visit(declaration);
  };
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    const isNamed = ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node);
    const name = isNamed && (ts.isTypeReferenceNode(node) ? node.typeName : node.expression);
    const symbol = name && checker.getSymbolAtLocation(name);
    if (symbol) reach(aliased(symbol));
  };
  for (const symbol of exported) reach(symbol);
  // Aliases are written out where they have no name; classes and interfaces cannot be.
  const named = [...reached].filter(
    ({ flags, declarations = [] }) =>
      (flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface)) !== 0 &&
      declarations.some((one) => one.getSourceFile().fileName.startsWith(inRoot('dist'))),
  );

  expect(named.length).toBeGreaterThan(30);
  const nameless = named.filter((symbol) => !exported.has(symbol));
  expect(nameless.map(({ name }) => name)).toEqual([]);
});

test('the settings that the types allow are those that are taken', () => {
  // Names and kinds of values, not the attributes that they name.
  type Loose<T> = T extends readonly (infer Item)[]
    ? readonly Loose<Item>[]
    : T extends object
      ? { readonly [Name in keyof T]?: Loose<T[Name]> | null | undefined }
      : T extends string
        ? string
        : T;
  const taken = (change: Loose<Decoded>): Loose<SettingsChange> => change;
  const written = (change: Loose<SettingsChange>): Loose<Decoded> => change;
  const names = (settings: Settings): (keyof Decoded)[] =>
    Object.keys(settings) as (keyof Settings)[];

  expect([taken({}), written({}), names({} as Settings)]).toEqual([{}, {}, []]);
});
