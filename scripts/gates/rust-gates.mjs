// Gates of the Rust crates. The addon crate holds no tests of its own, so tests leave it out and save its linking;
// they run in the dev profile, whose debug assertions and overflow checks are part of the test.
import { check, counted } from './gate.mjs';

/**
 * Adds up every `test result:` line: unit, integration and documentation tests of all crates.
 * @param {string} output of `cargo test`
 */
export function countCargoTests(output) {
  const counts = { passed: 0, failed: 0 };
  for (const [, passed, failed] of output.matchAll(
    /^test result: .*?(\d+) passed; (\d+) failed/gm,
  )) {
    counts.passed += Number(passed);
    counts.failed += Number(failed);
  }
  return counts;
}

const env = { CARGO_TERM_COLOR: 'never', CARGO_TERM_PROGRESS_WHEN: 'never' };

export const rustGates = [
  check('rustfmt', { command: 'cargo', args: ['fmt', '--all', '--check'], env }),
  check('clippy', {
    command: 'cargo',
    args: ['clippy', '--workspace', '--all-targets', '--locked', '--', '--deny', 'warnings'],
    env,
    minutes: 30,
  }),
  check('rustdoc', {
    command: 'cargo',
    args: ['doc', '--workspace', '--no-deps', '--document-private-items', '--locked'],
    env: { ...env, RUSTDOCFLAGS: '-D warnings' },
    minutes: 15,
  }),
  counted(
    'rust tests',
    {
      command: 'cargo',
      args: ['test', '--workspace', '--exclude', 'serval', '--no-fail-fast', '--locked'],
      env,
      minutes: 40,
    },
    countCargoTests,
  ),
];
