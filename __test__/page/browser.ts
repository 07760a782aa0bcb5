import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { vi } from 'vitest';
import { findChromium } from '../../scripts/chromium.mjs';
import { inRoot } from '../../scripts/paths.mjs';
import type { startServer } from '../../scripts/server-process.mjs';

/** A browser starts slowly on a busy machine. */
vi.setConfig({ testTimeout: 90_000 });

export type Server = Awaited<ReturnType<typeof startServer>>;

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');

/** A headless Chromium of the system. */
export function openBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    throw new Error('no Chromium on the PATH: run `node scripts/chromium.mjs` as root');
  }
  const args = ['--no-sandbox', '--disable-dev-shm-usage'];
  return chromium.launch({ executablePath, args });
}

/** Calls the server as a program does. */
export async function call<T = Record<string, unknown>>(
  server: Server,
  method: string,
  path: string,
  body?: unknown,
  key = '',
): Promise<T> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await response.json()) as T;
}

/** Writes and waits until it is done. */
export async function write(
  server: Server,
  method: string,
  path: string,
  body: unknown,
  key = '',
): Promise<void> {
  const { taskUid } = await call<{ taskUid: number }>(server, method, path, body, key);
  for (;;) {
    const task = await call(server, 'GET', `/tasks/${taskUid}`, undefined, key);
    if (task.status === 'succeeded') return;
    if (task.status === 'failed') throw new Error(JSON.stringify(task.error));
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Fills an index of films that can be searched, filtered and sorted. */
export async function fillFilms(server: Server, key = ''): Promise<void> {
  const lines = readFileSync(inRoot('__test__', 'page', 'films.ndjson'), 'utf8')
    .trim()
    .split('\n');
  await write(
    server,
    'PATCH',
    '/indexes/films/settings',
    {
      filterableAttributes: ['genres', 'decade', 'year'],
      sortableAttributes: ['year', 'title'],
      searchableAttributes: ['title', 'overview', 'cast'],
    },
    key,
  );
  await write(
    server,
    'POST',
    '/indexes/films/documents',
    lines.map((line) => JSON.parse(line)),
    key,
  );
}

/** What axe finds on a page that keeps people out. */
export async function seriousProblems(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const run = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
    return result.value;
  };
  await run(`${axeSource};undefined`);
  const found = (await run('axe.run(document).then(({ violations }) => violations)')) as {
    id: string;
    impact: string;
    nodes: { html: string }[];
  }[];
  await session.detach();
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Everything that the browser complained about: errors of scripts and of the content policy. */
export function complaints(page: Page): string[] {
  const found: string[] = [];
  page.on('pageerror', (error) => found.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy|Refused|violates/i.test(message.text()))
      found.push(message.text());
  });
  return found;
}
