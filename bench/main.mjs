// `npm run bench`: measures this engine, or any server that speaks the same interface.
//
//   npm run bench -- load      index a dataset; memory, disk, cold start, one added document
//   npm run bench -- search    latency and throughput for each query class
//   npm run bench -- all       both
//   npm run bench -- queue     --documents single-document writes (10000) over 64 connections
//   npm run bench -- memory    --file NDJSON in one request; --server-args="--max-indexing-memory 256MiB"
//   npm run bench -- cancel    the dataset in one request, canceled at --rounds (10) random moments: how soon it stops
//   npm run bench -- update    single documents into the dataset under 100 searches a second: how soon they are found
//   npm run bench -- mixed     --searches (100) and --updates (10) a second for --seconds each, without updates and with
//   npm run bench -- growth    --sizes (10000,100000,1000000) of products: indexing, disk, memory, searches, starts
//   npm run bench -- settings  what each change of settings costs on the dataset
//   npm run bench -- vectors   nearest neighbours on one thread: recall, latency, filters; --documents, --dimensions, --file
//   npm run bench -- embed     texts to vectors in the process; --documents (20000), --model FOLDER
//   npm run bench -- embedded  searches without HTTP, on the data folder --folder
//   npm run bench -- counts    instructions of fixed operations against the baseline; --update writes a new baseline
//   npm run bench -- generate --documents 1000000 --out bench/data/products.ndjson.gz
//
//   --dataset movies|PATH   demo movies (the default), or an NDJSON file, plain or gzipped
//   --settings FILE         index settings (default: bench/settings/<dataset>.json when it exists)
//   --limit N               only the first N documents
//   --batch N               documents a request (10000)
//   --connections 1,2,8     connections, each number in turn     --seconds S   measured per class (3)
//   --classes a,b           only these query classes             --seed N      for sample and queries (1)
//   --queries DIR           query classes of <dataset>.<class>.txt, a body a line, instead of ones that are made
//   --out FILE              results as JSON                      --folder DIR  keep the data there
//   --url URL --key K       a server that runs already           --data-folder DIR  its data, for its size
//
// Without --url the built server runs on a free port with an empty data folder in the system's temporary folder.
import { spawnSync } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { lines, openDataset } from './dataset.mjs';
import { measureCancel } from './measure-cancel.mjs';
import { measureCounts } from './measure-counts.mjs';
import { measureEmbedded, readQueries } from './measure-embedded.mjs';
import { measureEmbedding } from './measure-embedding.mjs';
import { growthTable, measureGrowth } from './measure-growth.mjs';
import { measureColdStart, measureLoad, measureOneDocument } from './measure-load.mjs';
import { measureMemory } from './measure-memory.mjs';
import { measureMixed } from './measure-mixed.mjs';
import { measureQueue } from './measure-queue.mjs';
import { measureClass } from './measure-search.mjs';
import { measureSettings } from './measure-settings.mjs';
import { measureUpdate } from './measure-update.mjs';
import { writeProducts } from './products.mjs';
import { makeQueries } from './query-classes.mjs';
import { describeMachine, embeddedTable, printResults } from './report.mjs';
import { sampleDataset } from './sample.mjs';
import { Target } from './target.mjs';

const text = /** @type {const} */ ({ type: 'string' });
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dataset: { ...text, default: 'movies' },
    settings: text,
    limit: text,
    batch: { ...text, default: '10000' },
    connections: { ...text, default: '1,2,8' },
    seconds: { ...text, default: '3' },
    classes: text,
    seed: { ...text, default: '1' },
    out: text,
    folder: text,
    queries: text,
    url: text,
    key: text,
    'data-folder': text,
    documents: text,
    file: text,
    dimensions: text,
    model: text,
    rounds: text,
    'server-args': text,
    searches: text,
    sizes: text,
    updates: text,
    update: { type: 'boolean', default: false },
  },
});

const dataset = () => openDataset(options.dataset, options.settings);
const limit = options.limit === undefined ? undefined : Number(options.limit);

/** @param {readonly string[]} args for a server of our own, before those that are given */
const target = (args = /** @type {readonly string[]} */ ([])) =>
  Target.open({
    ...(options.url === undefined ? {} : { url: options.url }),
    ...(options.key === undefined ? {} : { key: options.key }),
    ...(options.folder === undefined ? {} : { folder: options.folder }),
    args: [...args, ...(options['server-args']?.split(' ') ?? [])],
    ...(options['data-folder'] === undefined ? {} : { dataFolder: options['data-folder'] }),
  });

/** @param {Target} server */
async function load(server) {
  const loaded = await measureLoad(server, dataset(), {
    batchSize: Number(options.batch),
    ...(limit === undefined ? {} : { limit }),
  });
  const oneDocument = await measureOneDocument(server, dataset());
  const coldStart = server.isOwn ? await measureColdStart(server, dataset()) : undefined;
  return { load: loaded, oneDocument, ...(coldStart ? { coldStart } : {}) };
}

/** @param {Target} server */
async function search(server) {
  const { name, settings } = dataset();
  const seed = Number(options.seed);
  const sample = await sampleDataset(dataset(), seed, limit);
  const classes = makeQueries(sample, settings, seed, options.classes?.split(','));
  const figures = [];
  for (const queryClass of classes) {
    const seconds = Number(options.seconds);
    for (const connections of options.connections.split(',').map(Number)) {
      figures.push(await measureClass(server, name, queryClass, { connections, seconds }));
    }
    const repeated = { connections: 1, seconds, isRepeated: true };
    figures.push(await measureClass(server, name, queryClass, repeated));
    console.error(`${queryClass.name} measured`);
  }
  return { search: figures };
}

/**
 * A server of our own starts empty, unless a folder with data was given.
 * @param {Target} server
 */
async function ensureLoaded(server) {
  const { name } = dataset();
  const present = await server.call('GET', `/indexes/${name}/stats`).catch(() => undefined);
  if (present) return;
  const batchSize = Number(options.batch);
  await measureLoad(server, dataset(), { batchSize, ...(limit === undefined ? {} : { limit }) });
}

/** @param {{load: boolean, search: boolean}} parts */
async function measure(parts) {
  const machine = describeMachine();
  const server = await target();
  try {
    if (!parts.load) await ensureLoaded(server);
    const results = {
      dataset: dataset().name,
      machine,
      ...(parts.load ? await load(server) : {}),
      ...(parts.search ? await search(server) : {}),
    };
    printResults(results);
    if (options.out !== undefined) {
      mkdirSync(dirname(options.out), { recursive: true });
      writeFileSync(options.out, `${JSON.stringify(results, null, 1)}\n`);
    }
  } finally {
    await server.close();
  }
}

/**
 * Measures one thing and prints it as it is.
 * @param {(server: Target) => Promise<unknown>} job
 * @param {readonly string[]} [args] for a server of our own
 */
async function alone(job, args = []) {
  const server = await target(args);
  try {
    console.log(
      JSON.stringify({ machine: describeMachine(), ...Object(await job(server)) }, null, 1),
    );
  } finally {
    await server.close();
  }
}

/** All documents of the dataset as one body. */
async function wholeBody() {
  const parts = [];
  for await (const line of lines(dataset(), limit)) parts.push(Buffer.from(`${line}\n`));
  return Buffer.concat(parts);
}

/** Some words of the dataset, for searches beside what is measured. */
async function wordsOf() {
  const sample = await sampleDataset(dataset(), Number(options.seed), limit);
  const classes = makeQueries(sample, dataset().settings, Number(options.seed));
  return classes.flatMap(({ queries }) => queries.map(({ q }) => String(q ?? ''))).slice(0, 2000);
}

/** @param {Target} server */
async function mixed(server) {
  await ensureLoaded(server);
  const seed = Number(options.seed);
  const documents = [];
  for await (const line of lines(dataset(), Number(options.documents ?? 2000)))
    documents.push(JSON.parse(line));
  const classes = makeQueries(
    await sampleDataset(dataset(), seed, limit),
    dataset().settings,
    seed,
    options.classes?.split(','),
  );
  const rates = {
    searches: Number(options.searches ?? 100),
    updates: Number(options.updates ?? 10),
    seconds: Number(options.seconds),
    seed,
  };
  const queries = classes.flatMap((queryClass) => queryClass.queries);
  return measureMixed(server, dataset(), queries, documents, rates);
}

async function growth() {
  const { model, load, date } = describeMachine();
  const { sizes = '10000,100000,1000000', seconds, seed, folder } = options;
  const run = { sizes: sizes.split(',').map(Number), seconds: Number(seconds), seed: Number(seed) };
  const rows = await measureGrowth({ ...run, ...(folder ? { folder } : {}) }, (row) => {
    console.error(`\n${growthTable([row])}`);
  });
  console.log(`\nproducts, ${date}, ${model}, load ${load} before\n`);
  console.log(growthTable(rows));
}

/** Data that is there already is searched; a server of ours may have indexed it. */
async function embedded() {
  const { name, settings } = dataset();
  const { folder, queries } = options;
  if (folder === undefined) throw new Error('--folder names the data folder to search');
  const seed = Number(options.seed);
  const chosen = options.classes?.split(',');
  const classes =
    queries === undefined
      ? makeQueries(await sampleDataset(dataset(), seed, limit), settings, seed, chosen)
      : readQueries(queries, name).filter((one) => chosen?.includes(one.name) ?? true);
  const rows = await measureEmbedded(folder, name, classes);
  const { model, load } = describeMachine();
  console.log(`\n${name}, in process, ${model}, load ${load} before\n`);
  console.log(embeddedTable(rows));
}

/** The vector index knows nothing of servers: an example of its crate measures it. */
async function vectors() {
  const { documents = '100000', dimensions = '384', file } = options;
  const { model, load } = describeMachine();
  console.log(`${model}, load ${load} before`);
  const example = ['run', '--release', '--package', 'serval-vector', '--example', 'recall', '--'];
  const given = [documents, dimensions, ...(file === undefined ? [] : [file])];
  const { status } = spawnSync('cargo', [...example, ...given], { stdio: 'inherit' });
  if (status !== 0) throw new Error('the example did not run');
}

async function embed() {
  const { documents = '20000', model } = options;
  const run = { documents: Number(documents), ...(model === undefined ? {} : { model }) };
  const machine = describeMachine();
  console.log(JSON.stringify({ machine, ...(await measureEmbedding(run)) }, null, 1));
}

/** Fails when an operation takes more than the baseline and a little says. */
async function counts() {
  const wrong = await measureCounts({ update: options.update });
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
}

/** @type {Record<string, () => Promise<void>>} */
const commands = {
  load: () => measure({ load: true, search: false }),
  search: () => measure({ load: false, search: true }),
  all: () => measure({ load: true, search: true }),
  queue: () =>
    alone((server) =>
      measureQueue(server, { documents: Number(options.documents ?? 10_000), connections: 64 }),
    ),
  memory: () => {
    const file = options.file ?? '';
    const size = statSync(file).size + 1;
    return alone((server) => measureMemory(server, file), ['--http-payload-size-limit', `${size}`]);
  },
  cancel: () =>
    alone(async (server) => {
      const run = { rounds: Number(options.rounds ?? 10), seed: Number(options.seed) };
      const { settings } = dataset();
      return measureCancel(server, await wholeBody(), { ...run, settings });
    }),
  update: () =>
    alone(async (server) => {
      await ensureLoaded(server);
      return measureUpdate(server, dataset(), await wordsOf());
    }),
  mixed: () => alone(mixed),
  growth,
  counts,
  embedded,
  embed,
  vectors,
  settings: () =>
    alone(async (server) => {
      await ensureLoaded(server);
      return measureSettings(server, dataset());
    }),
  generate: () => writeProducts(Number(options.documents ?? 1_000_000), options.out ?? '-'),
};

const command = commands[positionals[0] ?? ''];
if (!command) {
  console.error(
    `usage: npm run bench -- ${Object.keys(commands).join('|')} [options], see bench/main.mjs`,
  );
  process.exit(2);
}
try {
  await command();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
