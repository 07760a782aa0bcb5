// Gates that need a tool which not every machine has. Without it they say so and count nothing; continuous integration
// installs all of them.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { inRoot } from '../paths.mjs';
import { check } from './gate.mjs';

/** @typedef {import('./gate.mjs').Gate} Gate */

/**
 * Whether a command is on the `PATH`.
 * @param {string} command
 */
export function isInstalled(command) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

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
      if (isInstalled(tool)) return gate.run();
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
