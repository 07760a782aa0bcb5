// Replays the recorded conversations against a server of our own; see __test__/contract/README.md.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot, scratch } from '../paths.mjs';
import { counted } from './gate.mjs';

const report = join(scratch, 'contract.json');

const contract = counted(
  'contract',
  {
    command: process.execPath,
    args: [inRoot('__test__', 'contract', 'run.mjs'), '--report', report],
    minutes: 20,
  },
  () => {
    if (!existsSync(report)) return { passed: 0, failed: 0 };
    const { passed, failed } = JSON.parse(readFileSync(report, 'utf8'));
    return { passed: Number(passed), failed: Number(failed) };
  },
);

export const contractGate = {
  name: contract.name,
  run: () => {
    rmSync(report, { force: true });
    return contract.run();
  },
};
