import { expect, test, vi } from 'vitest';
import { crateProblems, packageProblems } from '../../scripts/gates/dependencies-gate.mjs';
import { check, counted } from '../../scripts/gates/gate.mjs';
import { isAllowed } from '../../scripts/gates/licences-gate.mjs';
import { where } from '../../scripts/gates/platform-gates.mjs';
import { countCargoTests } from '../../scripts/gates/rust-gates.mjs';
import { countVitest, failedFiles } from '../../scripts/gates/typescript-gates.mjs';

const node = (code: string) => ({ command: process.execPath, args: ['-e', code] });

test('results of all crates and of documentation tests are added up', () => {
  const output = [
    'test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s',
    'test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out',
  ].join('\n');

  expect(countCargoTests(output)).toEqual({ passed: 15, failed: 2 });
});

test('a test file that could not be loaded counts as a failure', () => {
  const report = {
    numPassedTests: 4,
    numFailedTests: 1,
    testResults: [
      { status: 'failed', assertionResults: [{}] },
      { status: 'failed', assertionResults: [] },
    ],
  };

  expect(countVitest(JSON.stringify(report))).toEqual({ passed: 4, failed: 2 });
});

test('files that failed are named, for another run', () => {
  const testResults = [
    { name: 'good.test.ts', status: 'passed' },
    { name: 'bad.test.ts', status: 'failed' },
  ];

  expect(failedFiles(JSON.stringify({ testResults }))).toEqual(['bad.test.ts']);
});

test('a command counts as one, by its exit code', async () => {
  expect(await check('right', node('')).run()).toEqual({ passed: 1, failed: 0 });
  expect(await check('wrong', node('process.exit(3)')).run()).toEqual({ passed: 0, failed: 1 });
});

test('a command that does not exist fails its gate, and only that', async () => {
  const gate = check('absent', { command: 'no-such-command-here', args: [] });

  expect(await gate.run()).toEqual({ passed: 0, failed: 1 });
});

test('a runner that exits with an error fails even when no test of it failed', async () => {
  const gate = counted('runner', node('process.exit(1)'), () => ({ passed: 7, failed: 0 }));

  expect(await gate.run()).toEqual({ passed: 7, failed: 1 });
});

test('a runner that ran nothing fails', async () => {
  const gate = counted('runner', node(''), () => ({ passed: 0, failed: 0 }));

  expect(await gate.run()).toEqual({ passed: 0, failed: 1 });
});

test('a runner that hangs is stopped and fails', async () => {
  const hang = { ...node('setInterval(() => {}, 1000)'), minutes: 0.005 };

  expect(await check('hanging', hang).run()).toEqual({ passed: 0, failed: 1 });
});

test.each([
  ['MIT', true],
  ['MIT OR GPL-3.0', true],
  ['MIT/Apache-2.0', true],
  ['MIT AND GPL-3.0', false],
  ['(MIT OR GPL-3.0) AND BSD-3-Clause', false],
  ['Apache-2.0 WITH LLVM-exception OR GPL-3.0', true],
  ['Apache-2.0 WITH Other-exception', false],
  ['', false],
])('licence expression %j is met by MIT and Apache-2.0: %j', (expression, met) => {
  const allowed = new Set(['MIT', 'Apache-2.0', 'Apache-2.0 WITH LLVM-exception']);

  expect(isAllowed(expression, allowed)).toBe(met);
});

test('a gate whose tool is missing counts nothing, and counts where the tool is', async () => {
  const wrong = check('wrong', node('process.exit(3)'));

  const said = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  expect(await where('no-such-command-here', wrong).run()).toEqual({ passed: 0, failed: 0 });
  expect(said.mock.calls).toEqual([['left out: no-such-command-here is not installed']]);
  said.mockRestore();
  expect(await where('node', wrong).run()).toEqual({ passed: 0, failed: 1 });
});

test('crates of other places, without checksum or banned are found in a lock file', () => {
  const source = 'registry+https://github.com/rust-lang/crates.io-index';
  const git = 'git+https://example.org/x#1';
  const crates = [
    { name: 'ours', version: '1.0.0' },
    { name: 'good', version: '1.0.0', source, checksum: 'c' },
    { name: 'foreign', version: '1.0.0', source: git },
    { name: 'unchecked', version: '1.0.0', source },
    { name: 'tokio', version: '1.0.0', source, checksum: 'c' },
  ];
  expect(crateProblems(crates, new Set(['tokio']))).toEqual([
    `foreign 1.0.0 is of ${git}`,
    'unchecked 1.0.0 has no checksum',
    'tokio 1.0.0 is banned by deny.toml',
  ]);
});

test('packages of other places and with weak hashes are found in a lock file', () => {
  const integrity = 'sha512-abc';
  const packages = {
    '': {},
    'npm/linux': { version: '1.0.0' },
    'node_modules/good': { integrity },
    'node_modules/placed': { resolved: 'https://registry.npmjs.org/placed.tgz', integrity },
    'node_modules/foreign': { resolved: 'git+ssh://git@example.org/x.git', integrity },
    'node_modules/weak': { integrity: 'sha1-abc' },
  };
  expect(packageProblems(packages)).toEqual([
    'node_modules/foreign is of git+ssh://git@example.org/x.git',
    'node_modules/weak has no SHA-512',
  ]);
});
