// Gates of the TypeScript and JavaScript sources, and of what stands in package.json.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureChromium } from '../chromium.mjs';
import { npmTool, scratch } from '../paths.mjs';
import { action, check, counted, PASSED } from './gate.mjs';

const node = process.execPath;
const vitestReport = join(scratch, 'vitest.json');

/**
 * Reads vitest's JSON report. A file that could not be loaded has no tests to count: it counts as one failure.
 * @param {string} text
 */
export function countVitest(text) {
  const report = JSON.parse(text);
  /** @param {{status: string, assertionResults: unknown[]}} file */
  const unloaded = (file) => file.status === 'failed' && file.assertionResults.length === 0;
  return {
    passed: Number(report.numPassedTests),
    failed: Number(report.numFailedTests) + report.testResults.filter(unloaded).length,
  };
}

/**
 * The files of vitest's JSON report that did not pass.
 * @param {string} text
 * @returns {string[]}
 */
export function failedFiles(text) {
  /** @type {{name: string, status: string}[]} */
  const files = JSON.parse(text).testResults;
  return files.filter(({ status }) => status === 'failed').map(({ name }) => name);
}

/**
 * Runs vitest on all files, or on those given.
 * @param {string[]} files
 * @returns {Promise<import('./gate.mjs').Counts>}
 */
function runVitest(files) {
  // A run which dies must not be counted by the report of an older one.
  mkdirSync(scratch, { recursive: true });
  rmSync(vitestReport, { force: true });
  const reporters = ['--reporter=default', '--reporter=json'];
  const args = [...reporters, `--outputFile.json=${vitestReport}`, ...files];
  const count = () =>
    existsSync(vitestReport)
      ? countVitest(readFileSync(vitestReport, 'utf8'))
      : { passed: 0, failed: 0 };
  return counted(
    'vitest',
    {
      command: node,
      args: [npmTool('vitest', 'vitest'), 'run', ...args],
      env: { NO_COLOR: '1' },
      minutes: 30,
    },
    count,
  ).run();
}

export const lintGate = check('biome', {
  command: node,
  args: [npmTool('@biomejs/biome', 'biome'), 'ci', '--error-on-warnings', '--colors=off'],
});

export const typesGate = check('tsc', {
  command: node,
  args: [npmTool('typescript', 'tsc'), '--noEmit'],
});

export const pageTypesGate = check('tsc of the page', {
  command: node,
  args: [npmTool('typescript', 'tsc'), '--noEmit', '--project', 'page/tsconfig.json'],
});

export const chromiumGate = action('chromium', async () => {
  await ensureChromium();
  return PASSED;
});

/**
 * Files that fail run once more by themselves, as the recorded conversations do: what passes then is named, so that it
 * is mended, and what fails twice has failed.
 */
export const vitestGate = action('vitest', async () => {
  const first = await runVitest([]);
  if (first.failed === 0 || !existsSync(vitestReport)) return first;
  const failed = failedFiles(readFileSync(vitestReport, 'utf8'));
  if (failed.length === 0) return first;
  const again = await runVitest(failed);
  if (again.failed === 0) console.log(`UNSTEADY: ${failed.join(', ')}`);
  return { passed: first.passed + Math.max(0, first.failed - again.failed), failed: again.failed };
});
