// Gates that need a tool which not every machine has. Without it they say so and count nothing; continuous integration
// installs all of them.
import { readFileSync } from 'node:fs';
import { inRoot } from '../paths.mjs';
import { canInstall, findCommand, installPackage } from '../system-package.mjs';
import { action, check } from './gate.mjs';

/** @typedef {import('./gate.mjs').Gate} Gate */

/**
 * The gate, where its tool is installed.
 * @param {string} tool
 * @param {Gate} gate
 * @returns {Gate}
 */
export function where(tool, gate) {
  return {
    name: gate.name,
    run: async () => {
      if (findCommand([tool]) !== undefined) return gate.run();
      console.log(`left out: ${tool} is not installed`);
      return { passed: 0, failed: 0 };
    },
  };
}

export const workflowsGate = where(
  'actionlint',
  check('workflows', { command: 'actionlint', args: ['-no-color'] }),
);

const UNIT = inRoot('packaging', 'serval.service');
/** Largest exposure that the unit may have, in tenths; `systemd-analyze security` counts to 100. */
const EXPOSURE = 15;

/** The unit can be read, and gives the server no more than it needs. */
export const unitGate = where('systemd-analyze', {
  name: 'systemd unit',
  run: async () => {
    const verified = await unitCheck(['verify', '--man=no', UNIT]).run();
    const limits = ['--offline=true', '--no-pager', `--threshold=${EXPOSURE}`];
    const secured = await unitCheck(['security', ...limits, UNIT]).run();
    return {
      passed: verified.passed + secured.passed,
      failed: verified.failed + secured.failed,
    };
  },
});

/** @param {string[]} args */
const unitCheck = (args) => check('systemd unit', { command: 'systemd-analyze', args });

export const baselineGate = where(
  'qemu-x86_64',
  check('old processors', {
    command: process.execPath,
    args: [inRoot('scripts', 'baseline-cpu.mjs')],
    minutes: 15,
  }),
);

const countsCheck = check('instruction counts', {
  command: process.execPath,
  args: [inRoot('bench', 'main.mjs'), 'counts'],
  minutes: 20,
});

/** Counts what the baseline counts: instructions of x64 with AVX2. Continuous integration installs valgrind. */
export const countsGate = action(countsCheck.name, async () => {
  if (process.platform !== 'linux' || process.arch !== 'x64' || !hasAvx2()) {
    console.log('left out: the baseline is for Linux on x64 with AVX2');
    return { passed: 0, failed: 0 };
  }
  const isMissing = findCommand(['valgrind']) === undefined;
  if (isMissing && process.env.CI !== undefined && canInstall()) await installPackage('valgrind');
  return where('valgrind', countsCheck).run();
});

const hasAvx2 = () => /^flags\s*:.*\bavx2\b/m.test(readFileSync('/proc/cpuinfo', 'utf8'));
