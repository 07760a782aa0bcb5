// Makes the tarballs that are published: `serval`, and a platform package for each addon in native/.
//
//   node scripts/pack.mjs [--out FOLDER] [--all] [--repository URL]
//
// --all fails unless there is an addon for every platform. The names of the tarballs are printed in the order in which
// they are to be published.
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { npm } from './package/npm.mjs';
import { platforms, stagePackages } from './package/stage.mjs';
import { scratch } from './paths.mjs';

/**
 * Writes the tarballs to `out`, which is emptied first, and returns their names in the order of publishing.
 * @param {string} out absolute
 * @param {import('./package/stage.mjs').StageOptions} [options]
 */
export async function packAll(out, options = {}) {
  const staging = join(scratch, 'packages');
  const names = stagePackages(staging, options);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const tarballs = [];
  for (const name of names) {
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', out];
    const [{ filename }] = JSON.parse(await npm(args, { cwd: join(staging, name) }));
    tarballs.push(String(filename));
  }
  return tarballs;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: join(scratch, 'tarballs') },
      repository: { type: 'string' },
      all: { type: 'boolean', default: false },
    },
  });
  const tarballs = await packAll(resolve(values.out), values);
  console.log(tarballs.join('\n'));
  const missing = platforms().filter((name) => !tarballs.some((file) => file.includes(name)));
  if (values.all && missing.length > 0) {
    console.error(`no addon in native/ for ${missing.join(', ')}`);
    process.exitCode = 1;
  }
}
