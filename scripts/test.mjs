// `npm test` and `npm run ready`: every gate in order, all of them even when one fails, then one line of totals.
//
//   node scripts/test.mjs [--only name,name] [--list]
import { parseArgs } from 'node:util';
import { contractGate } from './gates/contract-gate.mjs';
import { dependenciesGate } from './gates/dependencies-gate.mjs';
import { buildGate, generatedGate } from './gates/generated-gate.mjs';
import { licencesGate } from './gates/licences-gate.mjs';
import { baselineGate, countsGate, unitGate, workflowsGate } from './gates/platform-gates.mjs';
import { rustGates } from './gates/rust-gates.mjs';
import {
  chromiumGate,
  lintGate,
  pageTypesGate,
  typesGate,
  vitestGate,
} from './gates/typescript-gates.mjs';

const gates = [
  lintGate,
  typesGate,
  pageTypesGate,
  workflowsGate,
  unitGate,
  ...rustGates,
  buildGate,
  dependenciesGate,
  licencesGate,
  generatedGate,
  baselineGate,
  countsGate,
  chromiumGate,
  vitestGate,
  contractGate,
];

const { values } = parseArgs({
  options: { only: { type: 'string' }, list: { type: 'boolean', default: false } },
});
if (values.list) {
  for (const { name } of gates) console.log(name);
  process.exit(0);
}
const wanted = values.only?.split(',');
const unknown = wanted?.filter((name) => !gates.some((gate) => gate.name === name)) ?? [];
if (unknown.length > 0) {
  console.error(`no such gate: ${unknown.join(', ')}; --list names them`);
  process.exit(2);
}

const rows = [];
const total = { passed: 0, failed: 0 };
for (const gate of gates.filter(({ name }) => !wanted || wanted.includes(name))) {
  console.log(`\n== ${gate.name}`);
  const started = Date.now();
  const { passed, failed } = await gate.run();
  total.passed += passed;
  total.failed += failed;
  rows.push({
    gate: gate.name,
    passed,
    failed,
    seconds: Math.round((Date.now() - started) / 1000),
  });
}
console.log('');
for (const { gate, passed, failed, seconds } of rows) {
  const verdict = failed ? 'FAILED' : 'ok';
  console.log(
    `${verdict.padEnd(7)}${gate.padEnd(18)}${passed} passed, ${failed} failed, ${seconds} s`,
  );
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed ? 1 : 0;
