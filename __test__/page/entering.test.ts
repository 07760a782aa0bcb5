import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startServer } from '../../scripts/server-process.mjs';
import { call, complaints, fillFilms, openBrowser, type Server, write } from './browser.js';

const MASTER = 'a-master-key-of-sixteen-bytes';

let server: Server;
let browser: Browser;
let page: Page;
let complained: string[];

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer({ masterKey: MASTER }), openBrowser()]);
  await fillFilms(server, MASTER);
});
afterAll(async () => {
  await browser.close();
  await server.remove();
});
beforeEach(async () => {
  page = await (await browser.newContext()).newPage();
  complained = complaints(page);
  await page.route(/images\.invalid/, (route) => route.abort());
  await page.goto(server.url);
});
afterEach(async () => {
  await page.context().close();
  expect(complained).toEqual([]);
});

async function enter(key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Continue' }).click();
}

async function defaultKey(name: string): Promise<string> {
  const { results } = await call<{ results: { name: string; key: string }[] }>(
    server,
    'GET',
    '/keys',
    undefined,
    MASTER,
  );
  return results.find((one) => one.name === name)?.key ?? '';
}

test('a key that no request could carry is refused, instead of blaming the network', async () => {
  await enter('ключ');
  await page.getByText('does not accept this key').waitFor();
});

test('a wrong key is asked for again, the right one opens the page and stays for the tab', async () => {
  await enter('wrong');
  await page.getByText('The server does not accept this key.').waitFor();
  await enter(MASTER);
  await page.getByText(/^12 hits /).waitFor();
  await page.reload();
  await page.getByText(/^12 hits /).waitFor();
  const other = await page.context().newPage();
  await other.goto(server.url);
  await other.getByLabel('API key').waitFor();
});

test('a key is changed for another one', async () => {
  await enter(MASTER);
  await page.getByRole('button', { name: 'Change key' }).click();
  await page.getByLabel('API key').waitFor();
  expect(await page.evaluate('sessionStorage.length')).toBe(0);
});

test('a key that may not know what identifies documents deletes none of them', async () => {
  const path = '/indexes/shelf/documents?primaryKey=sku';
  await write(server, 'POST', path, [{ sku: 'a', id: 'b', title: 'Lamp' }], MASTER);
  const rights = { actions: ['search', 'documents.*'], indexes: ['shelf'], expiresAt: null };
  const { key } = await call<{ key: string }>(server, 'POST', '/keys', rights, MASTER);
  await enter(key);
  await page.getByLabel('Name of an index').waitFor();
  await page.goto(`${server.url}/#/documents/shelf`);
  await page.getByRole('button', { name: /Lamp/ }).click();
  await page.getByRole('heading', { name: 'Document', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Save' }).waitFor();
  expect(await page.getByRole('button', { name: 'Delete', exact: true }).count()).toBe(0);
});

test('a key that may only search searches, and is told of what it may not', async () => {
  await enter(await defaultKey('Default Search API Key'));
  await page.getByLabel('Name of an index').fill('films');
  await page.keyboard.press('Enter');
  await page.getByText(/^12 hits /).waitFor();
  await page.getByRole('link', { name: 'Keys' }).click();
  await page.getByRole('alert').getByText('invalid').waitFor();
});

test('a key is made that may do what was chosen, and is deleted', async () => {
  await enter(MASTER);
  await page.getByRole('link', { name: 'Keys' }).click();
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Films only');
  await page.getByLabel('Indexes, separated by commas').fill('films');
  await page.getByRole('checkbox', { name: 'documents.get' }).check();
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('button', { name: 'Show key Films only' }).click();
  const key = (await page.locator('.secret').textContent()) ?? '';
  const found = await call(server, 'GET', '/indexes/films/documents/1', undefined, key);
  expect(found).toMatchObject({ id: 1 });
  await page.getByRole('button', { name: 'Delete Films only' }).click();
  await page.getByRole('button', { name: 'Really delete Films only' }).click();
  await page.getByText('Films only').waitFor({ state: 'detached' });
  const gone = await call(server, 'GET', '/indexes/films/documents/1', undefined, key);
  expect(gone).toMatchObject({ code: 'invalid_api_key' });
});
