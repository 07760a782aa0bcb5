// `npm run soak`: the built server under load and faults, for minutes to hours.
//
//   npm run soak -- crash --rounds 300 --seed 1     kills, failed allocations and full disks at random moments
//   npm run soak -- load --minutes 60               a steady mix of everything; says what grew
//   npm run soak -- overload                        ten times of what the server can do, and clients up to no good
//   npm run soak -- indexes --seconds 600           more indexes than may be awake, compared, killed again and again
//
//   --seed N        of the random choices; printed, so that a run can be done again
//   --faults A,B    those that may strike: kill, out of memory, failed allocations, full disk
//   --reads N --writes N --films N   of a load: a second, a second, in each index (40, 1, 10000)
//   --clients N --seconds N --films N   of an overload: clients of each kind, length of each part (300, 10, 10000)
//   --indexes N --seconds N   of many indexes: how many names, how long clients work (520, 600)
//   --out FILE      results as JSON
//
// The record of runs is in docs/reliability.md.
import { rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { crashRounds } from './crash/rounds.mjs';
import { indexesRun } from './indexes/run.mjs';
import { loadRun } from './load/run.mjs';
import { overloadRun } from './overload/run.mjs';

const text = /** @type {const} */ ({ type: 'string' });
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { ...text, default: '300' },
    faults: text,
    seed: text,
    minutes: { ...text, default: '60' },
    reads: { ...text, default: '40' },
    writes: { ...text, default: '1' },
    films: { ...text, default: '10000' },
    clients: { ...text, default: '300' },
    seconds: text,
    indexes: { ...text, default: '520' },
    'seconds-per-minute': { ...text, default: '60' },
    port: text,
    out: text,
  },
});
const seed = Number(options.seed ?? Date.now() % 1_000_000);
const log = (/** @type {string} */ line) =>
  console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);
const port = options.port === undefined ? {} : { port: Number(options.port) };

async function load() {
  const { wrong, judged, minutes, folder } = await loadRun({
    minutes: Number(options.minutes),
    reads: Number(options.reads),
    writes: Number(options.writes),
    films: Number(options.films),
    secondsPerMinute: Number(options['seconds-per-minute']),
    seed,
    log,
    ...port,
  });
  const grown = judged.filter(({ isRight }) => !isRight).map(({ figure }) => `${figure} grows`);
  return { wrong: [...wrong, ...grown], figures: { minutes, judged }, folder };
}

async function crash() {
  const { bad, writes, canFillDisk } = await crashRounds({
    rounds: Number(options.rounds),
    seed,
    log,
    ...(options.faults === undefined ? {} : { faults: options.faults.split(',') }),
  });
  if (!canFillDisk) log('no disk was filled: a file system can be mounted by root only');
  const chosen = options.faults === undefined ? '' : ` --faults '${options.faults}'`;
  const again = `npm run soak -- crash --rounds 1${chosen}`;
  const wrong = bad.map((round) => `${again} --seed ${round.seed}`);
  return { wrong, figures: { writes, bad }, folder: bad.map(({ folder }) => folder).join(', ') };
}

async function overload() {
  const clients = Number(options.clients);
  const seconds = Number(options.seconds ?? 10);
  const films = Number(options.films);
  return overloadRun({ clients, seconds, films, seed, log });
}

async function indexes() {
  const seconds = Number(options.seconds ?? 600);
  return indexesRun({ indexes: Number(options.indexes), seconds, seed, log, ...port });
}

const RUNS = { crash, load, overload, indexes };

const run = RUNS[/** @type {keyof typeof RUNS} */ (positionals[0])];
if (run === undefined) {
  console.error(`soak ${Object.keys(RUNS).join('|')}: which one?`);
  process.exit(2);
}
log(`seed ${seed}`);
const { wrong, figures, folder } = await run();
if (options.out !== undefined) writeFileSync(options.out, JSON.stringify(figures, null, 2));
for (const sentence of wrong) log(`WRONG: ${sentence}`);
if (wrong.length === 0) {
  if (folder !== '') rmSync(folder, { recursive: true, force: true });
  log('nothing was wrong');
} else {
  log(`the data is in ${folder}`);
  process.exitCode = 1;
}
