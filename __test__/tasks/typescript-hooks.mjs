import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const OPTIONS = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext };

/**
 * Finds `x.ts` where `x.js` is imported and does not exist.
 * @type {import('node:module').ResolveHook}
 */
export const resolve = async (specifier, context, next) => {
  if (specifier.startsWith('.') && specifier.endsWith('.js')) {
    const url = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(fileURLToPath(url))) return { url: url.href, shortCircuit: true };
  }
  return next(specifier, context);
};

/**
 * Strips the types of TypeScript files.
 * @type {import('node:module').LoadHook}
 */
export const load = async (url, context, next) => {
  if (!url.endsWith('.ts')) return next(url, context);
  const text = readFileSync(fileURLToPath(url), 'utf8');
  const source = ts.transpileModule(text, { compilerOptions: OPTIONS }).outputText;
  return { format: 'module', source, shortCircuit: true };
};
