import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { startServer } from '../../scripts/server-process.mjs';
import type { Server } from './browser.js';

const BUDGET = 150_000;
const MASTER = 'a-master-key-of-sixteen-bytes';

let server: Server | undefined;
afterEach(() => server?.remove());

async function startWith(args: string[]): Promise<string> {
  server = await startServer({ masterKey: MASTER, args });
  return server.url;
}

const asBrowser = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

test('all files of the page together are small', () => {
  const folder = inRoot('dist', 'page');
  const sizes = readdirSync(folder).map(
    (name) => gzipSync(readFileSync(`${folder}/${name}`)).length,
  );
  expect(sizes.length).toBeGreaterThanOrEqual(4);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(BUDGET);
});

test('browsers get the page under a strict policy, programs their line', async () => {
  const url = await startWith([]);
  const page = await fetch(url, asBrowser);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy.split('; ')).toEqual(
    expect.arrayContaining([
      "default-src 'self'",
      "img-src 'self' https:",
      "object-src 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ]),
  );
  expect(policy).not.toMatch(/unsafe|\*/);
  expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  expect(page.headers.get('x-frame-options')).toBe('DENY');
  const html = await page.text();
  expect(html).not.toMatch(/<style|style=|<script(?![^>]*\ssrc=)|\son\w+=/);
  const program = await fetch(url);
  expect(program.headers.get('content-type')).toBe('application/json');
  expect(await program.json()).toEqual({ status: 'Serval is running' });
});

test('files are kept for ever under names of their content, the document is asked for again', async () => {
  const url = await startWith([]);
  const page = await fetch(url, asBrowser);
  expect(page.headers.get('cache-control')).toBe('no-cache');
  const tag = page.headers.get('etag') ?? '';
  const again = await fetch(url, { headers: { ...asBrowser.headers, 'if-none-match': tag } });
  expect(again.status).toBe(304);
  const names = [...(await page.text()).matchAll(/(?:src|href)="\/(page\/[^"]+)"/g)];
  expect(names).toHaveLength(3);
  for (const [, name = ''] of names) {
    expect(name).toMatch(/-[\w-]{8,}\.(css|js|svg)$/);
    const file = await fetch(`${url}/${name}`);
    expect(file.status).toBe(200);
    expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(file.headers.get('x-content-type-options')).toBe('nosniff');
  }
});

test('there is nothing but the files of the page', async () => {
  const url = await startWith([]);
  for (const path of [
    'page/none.js',
    'page/..%2fmain.js',
    'page/%2e%2e%2fmain.js',
    'page/index.html',
  ]) {
    expect((await fetch(`${url}/${path}`)).status).toBe(404);
  }
});

test.each([
  ['in production', ['--env', 'production'], false],
  ['in production when asked for', ['--env', 'production', '--page'], true],
  ['in development', ['--env', 'development'], true],
  ['in development when refused', ['--page', 'off'], false],
])('%s', async (_, args, isShown) => {
  const url = await startWith(args);
  const type = (await fetch(url, asBrowser)).headers.get('content-type') ?? '';
  expect(type.startsWith('text/html')).toBe(isShown);
  const name = readdirSync(inRoot('dist', 'page')).find((one) => one.endsWith('.js'));
  const file = await fetch(`${url}/page/${name}`);
  expect(file.status).toBe(isShown ? 200 : 404);
});
