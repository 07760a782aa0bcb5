import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { startServer } from '../../scripts/server-process.mjs';
import { call, complaints, fillFilms, openBrowser, type Server } from '../page/browser.js';

const MASTER = 'a-master-key-for-tests';
const PARTS = ['box', 'stats', 'sort', 'genres', 'year', 'hits', 'pages'];
const HTML = `<!doctype html><meta charset="utf-8"><title>Films</title>
${PARTS.map((id) => `<div id="${id}"></div>`).join('')}<script src="page.js"></script>`;

/** Serves the page: another origin than the search server, as the pages of people are. */
const site = createServer((request, response) => {
  const isScript = request.url === '/page.js';
  response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
  response.end(isScript ? script : HTML);
});

let server: Server;
let browser: Browser;
let page: Page;
let script: string;
let searchKey: string;
let complained: string[];

/** The page and all that it uses, as one script for browsers. */
async function bundled(): Promise<string> {
  // One Preact for the widgets and their templates: that of the widgets, not that of this repository.
  const widgets = createRequire(createRequire(import.meta.url).resolve('instantsearch.js'));
  const preact = dirname(widgets.resolve('preact/package.json'));
  const build = await rolldown({
    input: inRoot('__test__', 'clients', 'instant-search', 'page.ts'),
    platform: 'browser',
    resolve: { alias: { preact } },
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    onLog: () => {},
  });
  const { output } = await build.generate({ format: 'iife' });
  await build.close();
  return output[0].code;
}

beforeAll(async () => {
  [server, browser, script] = await Promise.all([
    startServer({ masterKey: MASTER }),
    openBrowser(),
    bundled(),
    once(site.listen(0, '127.0.0.1'), 'listening'),
  ]);
  await fillFilms(server, MASTER);
  const rights = { actions: ['search'], indexes: ['films'], expiresAt: null };
  ({ key: searchKey } = await call<{ key: string }>(server, 'POST', '/keys', rights, MASTER));
});
afterAll(async () => {
  await browser?.close();
  site.close();
  await server?.remove();
});
beforeEach(async () => {
  page = await browser.newPage();
  complained = complaints(page);
  page.setDefaultTimeout(15_000);
  await page.addInitScript(
    `globalThis.serverUrl=${JSON.stringify(server.url)};globalThis.searchKey=${JSON.stringify(searchKey)}`,
  );
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
  await results(12);
});
afterEach(async () => {
  await page.close();
  expect(complained).toEqual([]);
});

const results = (count: number) =>
  page
    .locator('#stats')
    .getByText(new RegExp(`^${count} result`))
    .waitFor();
const titles = () => page.locator('#hits h2').allTextContents();
const firstTitle = (title: string) => page.locator('#hits h2').first().getByText(title).waitFor();

test('hits come while one types, in spite of a typo, with what matched marked', async () => {
  await page.locator('#box input').pressSequentially('dargon');
  // Some of the texts on the way have two results as well, and mark less of them.
  const marked = page.locator('#hits h2 mark');
  await expect
    .poll(async () => new Set(await marked.allTextContents()))
    .toEqual(new Set(['Dragon']));
  await results(2);
  expect((await titles()).sort()).toEqual(['Dragon Train', 'Summer of the Dragon']);
  expect(await page.locator('#hits h2').first().innerHTML()).not.toContain('&lt;');
});

test('overviews are cut around what matched', async () => {
  await page.locator('#box input').fill('lighthouse');
  await results(1);
  const snippet = await page.locator('#hits p').first().textContent();
  expect(snippet).toContain('lighthouse');
  expect(snippet).toContain('…');
  expect(await page.locator('#hits p mark').textContent()).toBe('lighthouse');
});

test('values of a facet are listed with their numbers, found by typing, and narrow the hits', async () => {
  const value = page.locator('#genres li', { hasText: 'Fantasy' });
  expect(await value.locator('.ais-RefinementList-count').textContent()).toBe('2');
  const names = page.locator('#genres .ais-RefinementList-labelText');
  await page.locator('#genres input[type=search]').fill('rom');
  await expect.poll(() => names.allTextContents()).toEqual(['Romance']);
  await page.locator('#genres input[type=search]').fill('');
  await value.waitFor();
  await value.locator('input').check();
  await results(2);
  await page.locator('#genres li', { hasText: 'Romance' }).locator('input').check();
  await results(3);
});

test('hits are sorted by what one chooses', async () => {
  await page.locator('#sort select').selectOption('films:year:desc');
  await firstTitle('Deep Field');
  await page.locator('#sort select').selectOption('films:year:asc');
  await firstTitle('The Last Orchard');
});

test('pages are as many as there are, and each shows other hits', async () => {
  const first = await titles();
  expect(first).toHaveLength(5);
  const numbers = page.locator('#pages .ais-Pagination-item--page');
  expect(await numbers.allTextContents()).toEqual(['1', '2', '3']);
  await numbers.nth(2).locator('a').click();
  await expect.poll(async () => (await titles()).length).toBe(2);
  expect((await titles()).filter((title) => first.includes(title))).toEqual([]);
});

test('a range of numbers narrows the hits, and shows its bounds before', async () => {
  const least = page.locator('#year input').first();
  const most = page.locator('#year input').nth(1);
  expect(Number(await most.getAttribute('max'))).toBeGreaterThan(2010);
  await least.fill('2011');
  await page.locator('#year button').click();
  await results(3);
});
