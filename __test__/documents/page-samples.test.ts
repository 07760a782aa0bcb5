import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inRoot, root } from '../../scripts/paths.mjs';
import { startServer } from '../../scripts/server-process.mjs';
import { FEATURE_NAMES } from '../../src/features/feature.js';
import { embedderSchema } from '../../src/settings/embedder-schema.js';
import { SETTING_NAMES } from '../../src/settings/settings-schema.js';
import { TASK_STATUSES, TASK_TYPES } from '../../src/tasks/task.js';
import { servedDocument } from '../http/openapi-document.js';
import { promisedOutput } from './document-examples.js';
import { type Block, blocksOf, markdownFiles, requestsOf } from './page-blocks.js';

const run = promisify(execFile);
const MINUTE_MS = 60_000;
const JSON_BODY = { 'content-type': 'application/json' };
const MASTER_KEY = 'sixteen-bytes-and-more';
/** Ignored by a server without keys. */
const AUTHORIZED = { authorization: `Bearer ${MASTER_KEY}` };

type Server = Awaited<ReturnType<typeof startServer>>;
type Answer = Record<string, unknown>;

/** Pages whose requests run; those of the README have a test of their own. */
const PAGES = markdownFiles().filter(
  (path) => path.startsWith('docs/') && blocksOf(path).some((block) => isRun(block)),
);

function isRun({ language, code, mark }: Block): boolean {
  return language === 'sh' && /\bcurl /.test(code) && mark?.startsWith('not run: ') !== true;
}

/** Waits for a task that an answer names; it must succeed. */
async function finished(server: Server, { taskUid }: Answer): Promise<void> {
  if (typeof taskUid !== 'number') return;
  for (;;) {
    const response = await fetch(`${server.url}/tasks/${taskUid}`, { headers: AUTHORIZED });
    const task = (await response.json()) as Answer;
    if (task.status === 'failed') throw new Error(JSON.stringify(task.error));
    if (task.status === 'succeeded') return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function send(server: Server, method: string, path: string, body: unknown): Promise<void> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? { 'content-type': 'application/x-ndjson' } : JSON_BODY;
  const headers = { ...type, ...AUTHORIZED };
  const response = await fetch(server.url + path, { method, headers, body: text });
  const answer = (await response.json()) as Answer;
  expect(answer).not.toHaveProperty('code');
  await finished(server, answer);
}

/** Whether each request of a page that runs names a key. */
function asksWithKey(page: string): boolean {
  const requests = blocksOf(page).filter(isRun).flatMap(requestsOf);
  return requests.every((command) => command.includes('Authorization: Bearer $'));
}

/** A server as a page assumes it: with the films of the demo, no settings, and keys where it sends one. */
async function filmServer(page: string): Promise<Server> {
  const server = await startServer(asksWithKey(page) ? { masterKey: MASTER_KEY } : {});
  const films = gunzipSync(readFileSync(inRoot('demo', 'movies.ndjson.gz'))).toString();
  await send(server, 'POST', '/indexes/movies/documents', films);
  return server;
}

/** Runs the commands of a block one after another, each write until it is done. */
async function answersOf(server: Server, block: Block): Promise<(Answer | string)[]> {
  const answers: (Answer | string)[] = [];
  const env = { ...process.env, KEY: MASTER_KEY, MASTER_KEY };
  for (const command of requestsOf(block)) {
    const script = command
      .replaceAll(/(http:\/\/)?(127\.0\.0\.1|localhost):7700/g, server.url)
      .replaceAll(/\bcurl /g, 'curl --silent --show-error ');
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: root, env });
    const answer = /^[{["]/.test(stdout) ? (JSON.parse(stdout) as Answer) : stdout;
    answers.push(answer);
    if (typeof answer !== 'string') await finished(server, answer);
  }
  return answers;
}

describe('the requests of', { timeout: 3 * MINUTE_MS }, () => {
  test.each(PAGES)('%s are answered as the page says', async (page) => {
    const server = await filmServer(page);
    try {
      for (const block of blocksOf(page).filter(isRun)) {
        const answers = await answersOf(server, block);
        const code = /^refused: (\w+)$/.exec(block.mark ?? '')?.[1];
        const codes = answers.map((answer) =>
          typeof answer === 'string' ? undefined : answer.code,
        );
        expect({ place: block.place, codes }).toEqual({
          place: block.place,
          codes: answers.map(() => code),
        });
        if (block.answer !== undefined) {
          expect(answers.at(-1), block.place).toMatchObject(JSON.parse(block.answer));
        }
      }
    } finally {
      await server.remove();
    }
  });
});

test('the program with the official client prints what its comment says', {
  timeout: MINUTE_MS,
}, async () => {
  const page = 'docs/get-started.md';
  const program = blocksOf(page).find(({ language }) => language === 'js')?.code ?? '';
  const server = await filmServer(page);
  try {
    const code = program.replace('http://127.0.0.1:7700', server.url);
    const args = ['--input-type=module', '--eval', code];
    const { stdout } = await run(process.execPath, args, { cwd: root });
    expect(stdout).toBe(promisedOutput(program));
    expect(stdout).not.toBe('');
  } finally {
    await server.remove();
  }
});

test('every block of JSON in the documentation can be read', () => {
  for (const { place, language, code } of markdownFiles().flatMap(blocksOf)) {
    if (language === 'json') expect(() => JSON.parse(code), place).not.toThrow();
  }
});

test('the page about the HTTP interface has a row for every experimental feature', () => {
  const text = readFileSync(inRoot('docs/http.md'), 'utf8');
  const section = text.split('## Experimental features')[1]?.split('\n## ')[0] ?? '';
  const rows = [...section.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
  expect(rows).toEqual(FEATURE_NAMES);
});

test('the page about embedders has a row for every field, and no others', () => {
  const [, table = ''] = readFileSync(inRoot('docs/embedders.md'), 'utf8').split('| field |');
  const rows = table.split('\n\n')[0]?.matchAll(/^\| (`[^|]+`) \|/gm) ?? [];
  const names = [...rows].flatMap(([, cell = '']) => cell.replaceAll('`', '').split(', '));
  expect(names.sort()).toEqual(Object.keys(embedderSchema.shape).sort());
});

test('the page about operating names figures that the server has', async () => {
  const server = await startServer({ args: ['--experimental-enable-metrics'] });
  try {
    await send(server, 'POST', '/indexes/films/documents', '{"id":1}\n');
    const figures = await (await fetch(`${server.url}/metrics`)).text();
    const page = readFileSync(inRoot('docs/operate.md'), 'utf8');
    const named = [...page.matchAll(/`(serval_\w+(?:\{\w+="\w+")?)/g)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(8);
    for (const name of named) expect(figures).toContain(name);
  } finally {
    await server.remove();
  }
});

test('the page about tasks names all their statuses, types and filters', async () => {
  const text = readFileSync(inRoot('docs/documents.md'), 'utf8');
  const { paths } = (await servedDocument()) as {
    paths: Record<string, Record<string, { parameters: { name: string }[] }>>;
  };
  const filters = paths['/tasks']?.get?.parameters.map(({ name }) => name) ?? [];
  const sent = paths['/indexes/{indexUid}/documents']?.post?.parameters.map(({ name }) => name);
  expect(filters.length).toBeGreaterThan(10);
  for (const name of [...filters, ...(sent ?? []).slice(1)]) expect(text).toContain(name);
  for (const name of [...TASK_STATUSES, ...TASK_TYPES]) expect(text).toContain(`\`${name}\``);
});

describe('the page about settings', () => {
  const text = readFileSync(inRoot('docs/settings.md'), 'utf8');
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
    const features = { foreignKeys: true, chatCompletions: true };
    await send(server, 'PATCH', '/experimental-features', features);
    await send(server, 'POST', '/indexes', { uid: 'films', primaryKey: 'id' });
  });
  afterAll(() => server?.remove());

  test('has a row and a heading for every setting, and no others', () => {
    const rows = [...text.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
    const headings = [...text.matchAll(/^## (.*)$/gm)].flatMap(([, line]) => line?.split(' and '));
    expect([...rows].sort()).toEqual([...SETTING_NAMES].sort());
    expect(headings).toEqual(expect.arrayContaining([...SETTING_NAMES]));
  });

  test('says the defaults that an index has, where it shows them', async () => {
    const settings = (await (await fetch(`${server.url}/indexes/films/settings`)).json()) as Answer;
    const shown = [...text.matchAll(/Default:\n\n```json\n([\s\S]*?)```/g)];
    expect(shown.length).toBeGreaterThan(3);
    for (const [, code = ''] of shown) expect(settings).toMatchObject(JSON.parse(code));
    const rows = [...text.matchAll(/^\| `(\w+)`[^|]*\|[^|]*\| `(.*?)` \|/gm)];
    expect(rows.length).toBeGreaterThan(12);
    for (const [, name = '', value = ''] of rows) {
      const known = settings[name];
      expect({ [name]: typeof known === 'string' ? known : JSON.stringify(known) }).toEqual({
        [name]: value,
      });
    }
  });

  test('shows examples that are taken', { timeout: MINUTE_MS }, async () => {
    const examples = blocksOf('docs/settings.md').filter(({ language }) => language === 'json');
    expect(examples.length).toBeGreaterThan(15);
    for (const { code } of examples) {
      await send(server, 'PATCH', '/indexes/films/settings', JSON.parse(code));
    }
  });
});
