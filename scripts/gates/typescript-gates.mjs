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

/** Empties the scratch report, so that a run which dies cannot be counted by an older one. */
function freshReport() {
  mkdirSync(scratch, { recursive: true });
  rmSync(vitestReport, { force: true });
}

const vitest = counted(
  'vitest',
  {
    command: node,
    args: [
      npmTool('vitest', 'vitest'),
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${vitestReport}`,
    ],
    env: { NO_COLOR: '1' },
    minutes: 15,
  },
  () =>
    existsSync(vitestReport)
      ? countVitest(readFileSync(vitestReport, 'utf8'))
      : { passed: 0, failed: 0 },
);

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

export const vitestGate = {
  name: vitest.name,
  run: () => {
    freshReport();
    return vitest.run();
  },
};
