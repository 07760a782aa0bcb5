// What a gate is and the two ways to make one: a command that is right or wrong, and a runner that counts its tests.
import { runCommand } from '../run-command.mjs';

const MINUTE_MS = 60_000;

/**
 * @typedef {{passed: number, failed: number}} Counts
 *
 * @typedef {object} Gate
 * @property {string} name
 * @property {() => Promise<Counts>} run never rejects
 *
 * @typedef {object} CommandSpec
 * @property {string} command
 * @property {string[]} args
 * @property {NodeJS.ProcessEnv} [env]
 * @property {number} [minutes] after which it counts as failed
 */

/**
 * A command that counts as one: passed with exit code 0, failed otherwise.
 * @param {string} name
 * @param {CommandSpec} spec
 * @returns {Gate}
 */
export function check(name, spec) {
  return counted(name, spec, (_, code) => ({ passed: code === 0 ? 1 : 0, failed: 0 }));
}

/**
 * A test runner. `count` reads its numbers from the output; a non-zero exit is at least one failure, whatever was
 * counted, and so is a runner that ran nothing.
 * @param {string} name
 * @param {CommandSpec} spec
 * @param {(output: string, code: number) => Counts} count
 * @returns {Gate}
 */
export function counted(name, spec, count) {
  return action(name, async () => {
    const { code, output } = await runCommand(spec.command, spec.args, {
      ...(spec.env ? { env: spec.env } : {}),
      timeoutMs: (spec.minutes ?? 10) * MINUTE_MS,
    });
    const counts = count(output, code);
    const broken = code !== 0 || counts.passed + counts.failed === 0;
    return { passed: counts.passed, failed: broken ? Math.max(counts.failed, 1) : counts.failed };
  });
}

/**
 * A gate made of code of ours; an exception is one failure.
 * @param {string} name
 * @param {() => Promise<Counts>} run
 * @returns {Gate}
 */
export function action(name, run) {
  return {
    name,
    run: async () => {
      try {
        return await run();
      } catch (error) {
        console.log(error instanceof Error ? error.message : error);
        return { passed: 0, failed: 1 };
      }
    },
  };
}

/** The counts of a gate that is either right or wrong. */
export const PASSED = Object.freeze({ passed: 1, failed: 0 });
