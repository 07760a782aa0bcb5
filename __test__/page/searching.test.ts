import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Server, write } from './browser.js';
import { withFilms, withPages } from './films-in-browser.js';

let server: Server;
let browser: Browser;
let page: Page;
withFilms(async (opened) => {
  ({ server, browser } = opened);
  const hostile = '<img src=x onerror="window.wasRun=1"><script>window.wasRun=1</script>';
  await write(server, 'POST', '/indexes/hostile/documents', [
    { id: 1, title: `wicked ${hostile}`, '<b>name</b>': hostile, poster: 'javascript:alert(1)' },
  ]);
});
withPages(
  () => browser,
  async (opened) => {
    page = opened;
    await page.goto(`${server.url}/#/search/films`);
    await page.getByText(/^12 hits /).waitFor();
  },
);

const field = () => page.getByRole('searchbox');
const titles = () => page.locator('.hit h2').allTextContents();

test('hits come while one types, with what matched marked', async () => {
  await field().pressSequentially('drag');
  await page.getByText(/^2 hits /).waitFor();
  expect((await titles()).sort()).toEqual(['Dragon Train', 'Summer of the Dragon']);
  expect(await page.locator('.hit mark').first().textContent()).toBe('Drag');
});

test('values of a facet are alternatives and narrow the hits, and others stay to be chosen', async () => {
  await page.getByRole('checkbox', { name: /^Fantasy/ }).check();
  await page.getByText(/^2 hits /).waitFor();
  await page.getByRole('checkbox', { name: /^Romance/ }).check();
  await page.getByText(/^3 hits /).waitFor();
  await page.getByRole('button', { name: 'Clear all filters' }).click();
  await page.getByText(/^12 hits /).waitFor();
});

test('a filter is an expression, and a broken one says what is wrong', async () => {
  await page.getByLabel('Filter', { exact: true }).fill('year > 2010');
  await page.keyboard.press('Enter');
  await page.getByText(/^3 hits /).waitFor();
  await page.getByLabel('Filter', { exact: true }).fill('year >');
  await page.keyboard.press('Enter');
  expect(await page.getByRole('alert').textContent()).toContain('year >');
});

test('hits are sorted by an attribute that can be sorted by', async () => {
  await page.getByRole('combobox', { name: 'Sort' }).selectOption('year:desc');
  await page.locator('.hit h2').first().getByText('Deep Field').waitFor();
  await page.getByRole('combobox', { name: 'Sort' }).selectOption('year:asc');
  await page.locator('.hit h2').first().getByText('The Last Orchard').waitFor();
});

test('each hit says why it is where it is, rule by rule', async () => {
  await field().fill('train dragon');
  await page.locator('.hit h2').first().getByText('Dragon Train').waitFor();
  await page
    .getByRole('button', { name: /^Why here/ })
    .first()
    .click();
  const rules = page.locator('.score li');
  expect(await rules.first().textContent()).toContain('2 of 2 words');
  const width = await page.evaluate("document.querySelector('.score .fill').style.inlineSize");
  expect(width).toBe('100%');
});

test('the keyboard is enough: to the field, down the hits, into an explanation and back', async () => {
  await page.keyboard.press('/');
  await page.keyboard.type('train');
  await page.getByText(/^3 hits /).waitFor();
  await page.keyboard.press('ArrowDown');
  expect(await page.locator('.hit:focus h2').textContent()).toContain('Train');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.locator('.score').waitFor();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.type('s');
  expect(await field().inputValue()).toBe('trains');
});

test('markup in documents is shown as the text it is', async () => {
  await page.goto(`${server.url}/#/search/hostile`);
  await field().fill('wicked');
  await page.locator('.hit mark').waitFor();
  expect(await page.locator('.hit h2').textContent()).toContain('<img src=x onerror=');
  expect(await page.locator('.hit dt').allTextContents()).toContain('<b>name</b>');
  expect(await page.locator('.hit img, .hit script, .hit b').count()).toBe(0);
  expect(await page.evaluate('window.wasRun')).toBeUndefined();
});

test('an index that does not exist is a message, not an empty page', async () => {
  await page.goto(`${server.url}/#/search/nowhere`);
  expect(await page.getByRole('alert').textContent()).toContain('`nowhere` not found');
});
