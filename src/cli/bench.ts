import { readFileSync } from 'node:fs';
import { shownCount } from './amounts.js';
import { type Command, type CommandContext, TARGET_OPTIONS } from './command.js';
import { CommandError, EXIT, usageError } from './exit-code.js';
import type { Given } from './given.js';
import { ProgressBar } from './progress-bar.js';
import { printTable } from './table.js';
import { openTarget, type Target } from './target.js';

const DEFAULT_SECONDS = 5;
const DEFAULT_CONCURRENCY = 1;
/** Shares of the searches that are no slower, in percent. */
const PERCENTILES = [50, 90, 99] as const;

/** What was measured; times in milliseconds. */
interface Measured {
  readonly searches: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly longest: number;
}

/** `serval bench`: how long searches of an index take. */
export const benchCommand: Command = {
  name: 'bench',
  summary: 'Measure how long searches take',
  usage: ['bench UID [WORDS...] [options]', 'bench UID --queries FILE [options]'],
  about: `Searches again and again for some seconds, the given words or each line of a file in turn, and says
how many searches were answered and how long they took, as the caller sees it. The first round over
the queries warms up and does not count. Each search has another crop marker, so that none is
answered from memory as a repeated one would be.`,
  options: {
    ...TARGET_OPTIONS,
    queries: { help: 'File with a query on each line', value: 'FILE' },
    seconds: { help: `How long to measure (default: ${DEFAULT_SECONDS})`, value: 'SECONDS' },
    concurrency: {
      help: `Searches at a time (default: ${DEFAULT_CONCURRENCY})`,
      value: 'COUNT',
      short: 'c',
    },
    limit: { help: 'Hits of each search (default: 20)', value: 'COUNT', short: 'n' },
    filter: { help: 'Filter of each search', value: 'FILTER', short: 'f' },
  },
  run: async (given, context) => {
    const uid = given.word(0, 'the uid of the index');
    const queries = queriesOf(given);
    const filter = given.text('filter');
    const limit = given.integer('limit', 20);
    const requests = queries.map((q) => ({
      q,
      limit,
      ...(filter === undefined ? {} : { filter }),
    }));
    const seconds = given.integer('seconds', DEFAULT_SECONDS, 1);
    const concurrency = given.integer('concurrency', DEFAULT_CONCURRENCY, 1);
    const target = await openTarget(given, context.signal);
    try {
      for (const request of requests) await target.search(uid, request);
      const run = { uid, requests, seconds, concurrency };
      show(await measure(target, run, context), given.has('json'), context);
    } finally {
      await target.close();
    }
  },
};

function queriesOf(given: Given): readonly string[] {
  const path = given.text('queries');
  const words = given.words.slice(1).join(' ');
  if (path === undefined) return [words];
  if (words !== '') throw usageError('words and --queries exclude each other');
  try {
    const lines = readFileSync(path, 'utf8')
      .split('\n')
      .map((line) => line.trim());
    const queries = lines.filter((line) => line !== '');
    if (queries.length > 0) return queries;
  } catch {
    throw new CommandError(EXIT.notFound, `there is no file ${path}`);
  }
  throw usageError(`${path} holds no queries`);
}

interface Run {
  readonly uid: string;
  readonly requests: readonly Readonly<Record<string, unknown>>[];
  readonly seconds: number;
  readonly concurrency: number;
}

async function measure(
  target: Target,
  { uid, requests, seconds, concurrency }: Run,
  { terminal, signal }: CommandContext,
): Promise<Measured> {
  const bar = new ProgressBar(terminal, 'searching', (ms) => `${(ms / 1000).toFixed(0)} s`);
  const times: number[] = [];
  const start = performance.now();
  const end = start + seconds * 1000;
  let next = 0;
  const searchOnAndOn = async (): Promise<void> => {
    while (performance.now() < end) {
      signal.throwIfAborted();
      const request = { ...requests[next % requests.length], cropMarker: `… ${next}` };
      next += 1;
      const begun = performance.now();
      await target.search(uid, request);
      times.push(performance.now() - begun);
      bar.update(performance.now() - start, seconds * 1000, `${shownCount(times.length)} searches`);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, searchOnAndOn));
  } finally {
    bar.end();
  }
  return summary(times, (performance.now() - start) / 1000);
}

function summary(times: readonly number[], seconds: number): Measured {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (percent: number) =>
    rounded(sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? 0);
  const [p50, p90, p99] = PERCENTILES.map(at) as [number, number, number];
  return {
    searches: times.length,
    seconds: rounded(seconds),
    perSecond: rounded(times.length / seconds),
    mean: rounded(times.reduce((sum, time) => sum + time, 0) / Math.max(times.length, 1)),
    p50,
    p90,
    p99,
    longest: at(100),
  };
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;

function show(measured: Measured, isJson: boolean, { terminal }: CommandContext): void {
  if (isJson) {
    terminal.printJson(measured);
    return;
  }
  const { searches, perSecond, mean, p50, p90, p99, longest } = measured;
  const headings = ['searches', 'per second', 'mean ms', 'p50', 'p90', 'p99', 'longest'];
  const columns = headings.map((heading) => ({ heading, isNumber: true }));
  const times = [mean, p50, p90, p99, longest].map((time) => time.toFixed(2));
  printTable(terminal, columns, [[shownCount(searches), shownCount(perSecond), ...times]]);
}
