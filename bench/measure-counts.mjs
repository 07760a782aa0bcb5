// Counts the instructions of fixed operations with callgrind and compares them with bench/counts/baseline.json.
//
// What valgrind shows the program of the processor is the same on every one with AVX2, whatever else it can, so the
// counts are, too: they differ with the compiler and with the code alone.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildEnvironment, rustCompiler } from '../scripts/build/profile.mjs';
import { inRoot } from '../scripts/paths.mjs';
import { runCommand } from '../scripts/run-command.mjs';
import { comparison, countsTable, readCounts } from './counts-report.mjs';

const BASELINE = inRoot('bench', 'counts', 'baseline.json');
const MINUTE_MS = 60_000;
/**
 * Left to itself, the allocator asks the kernel for large blocks at first and finds them among freed ones later, which
 * it then has to clear: which operation pays for that depends on which thread freed when, and is millions of
 * instructions.
 */
const STEADY_MALLOC = 'MALLOC_MMAP_THRESHOLD_=131072';
/**
 * Where something rose, all is counted again, and of each operation the least stands: what threads in the background
 * happen to do beside an operation counts, too, and is there in one run and not in the next.
 */
const MAX_RUNS = 3;

/**
 * Counts, prints a table, and says what is wrong; nothing when all is well.
 * @param {{update: boolean}} options `update` writes the counts down as the new baseline
 * @returns {Promise<string[]>}
 */
export async function measureCounts({ update }) {
  const compiler = rustCompiler();
  if (compiler === undefined) throw new Error('no Rust compiler was found');
  const rustc = /^release: (.*)$/m.exec(compiler.version)?.[1] ?? 'unknown';
  const program = await buildCounted(compiler, buildEnvironment(compiler));
  const counted = await count(program);
  /** @type {import('./counts-report.mjs').Baseline} */
  const baseline = JSON.parse(readFileSync(BASELINE, 'utf8'));
  if (update) {
    console.log(countsTable(comparison(baseline.operations, counted).rows));
    writeFileSync(BASELINE, `${JSON.stringify({ rustc, operations: counted }, null, 2)}\n`);
    console.log('this is the baseline now');
    return [];
  }
  let { rows, wrong } = comparison(baseline.operations, counted);
  for (let again = 1; again < MAX_RUNS && wrong.length > 0; again += 1) {
    least(counted, await count(program));
    ({ rows, wrong } = comparison(baseline.operations, counted));
  }
  console.log(countsTable(rows));
  if (rustc === baseline.rustc) return wrong;
  console.log(
    `nothing is held against rustc ${rustc}: the baseline is of ${baseline.rustc}. Renew it on the commit before ` +
      'with `npm run bench -- counts --update`, then count again',
  );
  return [];
}

/**
 * Lowers counts to those of another run.
 * @param {Record<string, number>} counted
 * @param {Record<string, number>} other
 */
function least(counted, other) {
  for (const [name, count] of Object.entries(other)) {
    counted[name] = Math.min(counted[name] ?? count, count);
  }
}

/**
 * Builds the program of the operations that are counted, from the crates that the addon is built from: naming both gives
 * both the same features, so that what is compiled for one serves the other.
 * @param {import('../scripts/build/profile.mjs').Compiler} compiler
 * @param {{RUSTFLAGS?: string}} env
 * @returns {Promise<string>} its path
 */
export async function buildCounted(compiler, env) {
  const chosen = ['--package', 'serval', '--package', 'serval-counts', '--bin', 'serval-counts'];
  const args = ['build', '--release', '--locked', '--target', compiler.host, ...chosen];
  const messages = ['--message-format', 'json-render-diagnostics'];
  const { code, output } = await runCommand('cargo', [...args, ...messages], {
    env,
    quiet: true,
    timeoutMs: 30 * MINUTE_MS,
  });
  const executable = /"name":"serval-counts".*"executable":"([^"]+)"/.exec(output)?.[1];
  if (code !== 0 || executable === undefined) throw new Error(`cargo build failed:\n${output}`);
  return executable;
}

/** @param {string} program */
async function count(program) {
  const folder = mkdtempSync(join(tmpdir(), 'serval-counts-'));
  try {
    const options = ['--tool=callgrind', '--instr-atstart=no', '--cache-sim=no', '--quiet'];
    const out = `--callgrind-out-file=${join(folder, 'counts')}`;
    // An environment of another size would move the stack. The folder of temporary files may be slow to sync.
    const env = ['--ignore-environment', 'PATH=/usr/bin:/bin', `TMPDIR=${folder}`, STEADY_MALLOC];
    const { code, output } = await runCommand(
      'env',
      [...env, 'valgrind', ...options, out, program],
      { quiet: true, timeoutMs: 30 * MINUTE_MS },
    );
    if (code !== 0) throw new Error(`valgrind failed:\n${output}`);
    const files = readdirSync(folder).filter((name) => /^counts\.\d+$/.test(name));
    return readCounts(files.map((name) => readFileSync(join(folder, name), 'utf8')));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
