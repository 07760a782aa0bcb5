// Builds the addon and dist/, regenerates what is generated from code, and fails when a committed file differs from
// what the code says.
import { existsSync, readFileSync } from 'node:fs';
import { buildAddon } from '../build/addon.mjs';
import { buildDist } from '../build/dist.mjs';
import { generateDocuments } from '../generate.mjs';
import { inRoot } from '../paths.mjs';
import { action, PASSED } from './gate.mjs';

const GENERATED = [
  'native/binding.cjs',
  'native/binding.d.cts',
  'docs/errors.md',
  'docs/options.md',
];

/** Content of each generated file now; undefined where it is missing. */
const contents = () =>
  GENERATED.map((file) =>
    existsSync(inRoot(file)) ? readFileSync(inRoot(file), 'utf8') : undefined,
  );

const atStart = contents();

export const buildGate = action('build', async () => {
  await buildAddon();
  await buildDist();
  return PASSED;
});

export const generatedGate = action('generated files', async () => {
  await generateDocuments();
  const now = contents();
  const stale = GENERATED.filter((_, at) => now[at] === undefined || now[at] !== atStart[at]);
  if (stale.length === 0) return PASSED;
  throw new Error(`out of date before this run, commit them as they are now: ${stale.join(', ')}`);
});
