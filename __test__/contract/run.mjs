// Replays the recorded conversations against a server and holds them to the list in expected.json.
//
//   npm run contract -- [--only text] [--update] [--times n] [--verbose] [--report file]
//                       [--url http://... [--key masterKey] [--service name]]
//
// Without --url it starts the built server (`npm run build`) on a free port with an empty data folder.
//   --only      files whose <area>/<name> contains the text
//   --update    adds newly passing cases to expected.json; with --times, those that pass every time
//   --verbose   prints why each case that is not listed fails, too
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startServer } from '../../scripts/server-process.mjs';
import { readCases } from './case-files.mjs';
import { Conversation } from './conversation.mjs';
import { judge, readExpected, writeExpected } from './ratchet.mjs';

const MASTER_KEY = 'contract-master-key';
const TIMEOUT_MS = 60_000;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    update: { type: 'boolean', default: false },
    times: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
    report: { type: 'string' },
    url: { type: 'string' },
    key: { type: 'string' },
    service: { type: 'string', default: 'serval' },
  },
});

/**
 * @typedef {import('./case-files.mjs').Case} Case
 * @typedef {import('./conversation.mjs').Target} Target
 */

/**
 * Plays all cases in order and returns why the failing ones failed.
 * @param {Target} target
 * @param {Case[]} cases
 * @returns {Promise<Map<string, string>>} reason by id
 */
async function playAll(target, cases) {
  const run = `c${Date.now().toString(36)}${Math.floor(Math.random() * 1e4).toString(36)}`;
  /** @type {Map<string, string>} */
  const reasons = new Map();
  for (const recorded of cases) {
    const failure = await new Conversation(target, run).play(recorded);
    if (failure) reasons.set(failure.id, failure.reason);
  }
  return reasons;
}

/**
 * One round: on the server of --url, or on a fresh one of its own.
 * @param {Case[]} cases
 */
async function playRound(cases) {
  const { url, key, service } = options;
  if (url !== undefined) {
    const target = { url: url.replace(/\/$/, ''), service, timeoutMs: TIMEOUT_MS };
    return playAll(key === undefined ? target : { ...target, key }, cases);
  }
  const server = await startServer({ masterKey: MASTER_KEY });
  try {
    return await playAll(
      { url: server.url, key: MASTER_KEY, service, timeoutMs: TIMEOUT_MS },
      cases,
    );
  } finally {
    await server.remove();
  }
}

/**
 * Some conversations cancel or batch tasks while others run, and depend on who is faster. The file of a listed case
 * that failed is played once more on a fresh server; what then passes is named, and does not count as broken.
 * @param {Set<string>} listed
 */
async function playAgain(listed) {
  const failed = cases.filter(({ id }) => listed.has(id) && reasons.has(id));
  const files = new Set(failed.map(({ file }) => file));
  if (files.size === 0 || options.update) return;
  const again = await playRound(cases.filter(({ file }) => files.has(file)));
  for (const { id } of failed.filter((recorded) => !again.has(recorded.id))) {
    console.log(`UNSTEADY: ${id}\n  ${reasons.get(id)}`);
    reasons.delete(id);
  }
}

/**
 * Passed and played cases of each file.
 * @param {Case[]} cases
 * @param {Map<string, string>} reasons
 */
function printFiles(cases, reasons) {
  for (const file of new Set(cases.map((recorded) => recorded.file))) {
    const inFile = cases.filter((recorded) => recorded.file === file);
    const passed = inFile.filter(({ id }) => !reasons.has(id)).length;
    console.log(`${String(passed).padStart(4)} of ${String(inFile.length).padEnd(4)} ${file}`);
  }
}

const cases = readCases(options.only);
if (cases.length === 0) {
  console.error(`no case file matches ${options.only}`);
  process.exit(2);
}
/** @type {Map<string, string>} */
const reasons = new Map();
for (let round = 0; round < Number(options.times); round += 1) {
  for (const [id, reason] of await playRound(cases)) reasons.set(id, reason);
}

const expected = readExpected();
await playAgain(expected);
const ids = cases.map(({ id }) => id);
const { broken, gained, held, missing } = judge(expected, ids, new Set(reasons.keys()));
printFiles(cases, reasons);
for (const id of options.verbose ? missing : []) console.log(`fails: ${id}\n  ${reasons.get(id)}`);
for (const id of broken) console.log(`BROKEN: ${id}\n  ${reasons.get(id)}`);

if (options.update && gained.length > 0) {
  writeExpected(new Set([...expected, ...gained]), readCases());
  console.log(`${gained.length} newly passing cases were added to expected.json`);
} else if (gained.length > 0) {
  console.log(`${gained.length} cases pass that expected.json does not list: run with --update`);
}
console.log(`${held.length + gained.length} of ${ids.length} recorded cases pass`);
console.log(`${held.length} passed, ${broken.length} failed, of those that must pass`);
if (options.report !== undefined) {
  const failures = Object.fromEntries(reasons);
  const report = { passed: held.length, failed: broken.length, gained, failures };
  writeFileSync(options.report, `${JSON.stringify(report, null, 1)}\n`);
}
process.exitCode = broken.length > 0 ? 1 : 0;
