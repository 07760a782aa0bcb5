// Builds what is missing or out of date: the native addon (native/) and the server (dist/).
//
//   node scripts/build.mjs [--addon] [--dist] [--force] [--verbose] [--target TRIPLE]
import { parseArgs } from 'node:util';
import { buildAddon } from './build/addon.mjs';
import { buildDist } from './build/dist.mjs';

const { values } = parseArgs({
  options: {
    addon: { type: 'boolean', default: false },
    dist: { type: 'boolean', default: false },
    force: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    target: { type: 'string' },
  },
});
const both = !values.addon && !values.dist;

try {
  if (values.addon || both) await buildAddon(values);
  if (values.dist || both) await buildDist(values);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
