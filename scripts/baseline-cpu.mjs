// Proves that the addon runs on old processors: uses it on an emulated Core 2 of 2006, which has neither AVX, SSE4 nor
// POPCNT, and on one with AVX2, and compares what it finds with what this processor finds.
//
//   node scripts/baseline-cpu.mjs
//
// Needs qemu-x86_64 (package qemu-user) on Linux. The emulator refuses what its processor does not have, as the first
// check shows. It knows no AVX-512: that is what this machine may have itself.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { avx2Program } from './baseline/control.mjs';
import { inRoot } from './paths.mjs';

const run = promisify(execFile);
const QEMU = 'qemu-x86_64';
const OLD = 'core2duo';
const WITH_AVX2 = 'Haswell';
const ILLEGAL = 'SIGILL';

const folder = mkdtempSync(join(tmpdir(), 'serval-baseline-'));
try {
  await control();
  const here = await exercise('here');
  assert.ok(Object.values(JSON.parse(here)).filter((found) => found.length > 0).length > 10);
  for (const cpu of [OLD, WITH_AVX2]) {
    assert.equal(await exercise(cpu), here, `${cpu} finds something else than this processor`);
    console.log(`${cpu}: the addon runs, and finds what it finds here`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The emulator runs AVX2 where it should and refuses it where it should. */
async function control() {
  const program = join(folder, 'control');
  writeFileSync(program, avx2Program(), { mode: 0o755 });
  await run(QEMU, ['-cpu', WITH_AVX2, program]);
  const refused = await run(QEMU, ['-cpu', OLD, program]).then(
    () => undefined,
    (error) => error.signal,
  );
  assert.equal(refused, ILLEGAL, `the emulated ${OLD} runs AVX2, so it proves nothing`);
  console.log(`${OLD}: refuses AVX2`);
}

/** @param {string} cpu a processor that the emulator knows, or `here` */
async function exercise(cpu) {
  const args = [inRoot('scripts', 'baseline', 'exercise.mjs'), join(folder, cpu)];
  const { stdout } =
    cpu === 'here'
      ? await run(process.execPath, args)
      : await run(QEMU, ['-cpu', cpu, process.execPath, ...args]);
  return stdout;
}
