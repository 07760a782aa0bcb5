import type { Browser, Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { call, type Server, write } from './browser.js';
import { withFilms, withPages } from './films-in-browser.js';

let server: Server;
let browser: Browser;
let page: Page;
withFilms((opened) => {
  ({ server, browser } = opened);
});
withPages(
  () => browser,
  (opened) => {
    page = opened;
  },
);

const LARGE = '12345678901234567891';
const rows = `[{"id":${LARGE},"title":"Large","n":{"list":[${LARGE}]}},
  {"id":2,"title":"${'x'.repeat(20_000)}","many":"${'y '.repeat(5000)}"}]`;

beforeEach(async () => {
  await fetch(`${server.url}/indexes/odd/documents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: rows,
  });
  await write(server, 'PATCH', '/indexes/odd/settings', { stopWords: [] });
});

test('integers of any length are shown, changed and deleted as they are', async () => {
  await page.goto(`${server.url}/#/documents/odd`);
  await page.getByRole('button', { name: LARGE }).click();
  const editor = page.getByLabel('Document as JSON');
  const text = await editor.inputValue();
  expect(text).toContain(`"id": ${LARGE}`);
  expect(text.match(new RegExp(LARGE, 'g'))).toHaveLength(2);
  await editor.fill(text.replace('Large', 'Changed'));
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: /Changed/ }).waitFor();
  await page.getByText('2 in odd').waitFor();
  await page.getByRole('button', { name: LARGE }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('1 in odd').waitFor();
});

test('a document whose identifier is inside of an object is deleted, and no other one', async () => {
  const books = ['a', 'b', 'c'].map((isbn) => ({ ids: { isbn }, title: `Book ${isbn}` }));
  await write(server, 'POST', '/indexes/inside/documents?primaryKey=ids.isbn', books);
  await page.goto(`${server.url}/#/documents/inside`);
  await page.getByRole('button', { name: /Book b/ }).click();
  await page.getByRole('heading', { name: 'Document b' }).waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('2 in inside').waitFor();
  expect(await page.locator('.documents li').count()).toBe(2);
  expect(await page.getByText('Book b').count()).toBe(0);
});

test('a hit with very long values is as high as others until all of it is asked for', async () => {
  await page.goto(`${server.url}/#/search/odd`);
  const hit = page.locator('.hit', { hasText: 'xxxx' });
  await hit.waitFor();
  const height = async () => (await hit.boundingBox())?.height ?? 0;
  expect(await height()).toBeLessThan(500);
  await hit.getByRole('button', { name: /^All \d+ fields/ }).click();
  expect(await height()).toBeGreaterThan(1000);
});

test('an index that somebody else deletes takes its hits and its name along', async () => {
  await write(server, 'POST', '/indexes/passing/documents', [{ id: 1, title: 'Here' }]);
  await page.goto(`${server.url}/#/search/passing`);
  await page.locator('.hit').waitFor();
  await write(server, 'DELETE', '/indexes/passing', undefined);
  await page.getByRole('alert').getByText('`passing` not found').waitFor();
  await page.locator('.hit').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Tasks' }).click();
  await page.getByRole('heading', { name: 'Tasks' }).waitFor();
  const names = page.getByRole('combobox', { name: 'Index' }).locator('option');
  expect(await names.allTextContents()).not.toContain('passing');
  await write(server, 'POST', '/indexes', { uid: 'coming' });
  await names.filter({ hasText: 'coming' }).waitFor({ state: 'attached' });
});

test('texts that run from right to left do so beside words of the page', async () => {
  const text = 'سلام world!';
  await write(server, 'POST', '/indexes/persian/documents', [{ id: 1, title: text, note: text }]);
  await page.goto(`${server.url}/#/search/persian`);
  const isRightToLeft = (selector: string) =>
    page.evaluate<boolean>(`(() => {
      const shown = document.querySelector('${selector}');
      const [text] = [...shown.childNodes].map((one) => one.firstChild);
      const leftOf = (at) => {
        const range = document.createRange();
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        return range.getBoundingClientRect().left;
      };
      return leftOf(text.length - 1) < leftOf(0);
    })()`);
  await page.locator('.hit h2').waitFor();
  expect(await isRightToLeft('.hit h2')).toBe(true);
  expect(await isRightToLeft('.hit dl > :last-child dd')).toBe(true);
});

test('long names of indexes do not widen a narrow window', async () => {
  await call(server, 'POST', '/indexes', {
    uid: 'a-name-that-is-rather-long-for-an-index-of-a-telephone',
  });
  await page.setViewportSize({ width: 340, height: 700 });
  await page.goto(`${server.url}/#/search/a-name-that-is-rather-long-for-an-index-of-a-telephone`);
  await page.getByRole('combobox', { name: 'Index' }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(340);
});
