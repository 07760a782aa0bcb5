import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { call, type Server } from './browser.js';
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

const open = (view: string) => page.goto(`${server.url}/#/${view}`);
const alert = () => page.getByRole('alert').first();

test('a new index is made, and a chosen file fills it', async () => {
  await open('new');
  await page.getByLabel('Name', { exact: true }).fill('things');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'Documents' }).waitFor();
  await page.locator('input[type=file]').setInputFiles({
    name: 'things.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('id,title\n1,Lamp\n2,Chair\n'),
  });
  await page.getByText('2 documents added').waitFor();
  await page.getByText('2 in things').waitFor();
  await page.getByText('Chair').waitFor();
  expect(await page.getByRole('combobox', { name: 'Index' }).inputValue()).toBe('things');
});

test('files are dropped; broken ones and unknown kinds say what is wrong with them', async () => {
  await open('documents/dropped');
  await page.locator('.drop').waitFor();
  const transfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    const add = (name, text) => transfer.items.add(new File([text], name));
    add('good.json', '[{"id": 1, "title": "One"}]');
    add('lines.ndjson', '{"id": 2}\\n{"id": 3}');
    add('broken.json', '[{"id": 1');
    add('picture.png', 'x');
    return transfer;
  })()`);
  await page.dispatchEvent('.drop', 'drop', { dataTransfer: transfer });
  const line = (name: string) => page.locator('.uploads li', { hasText: name });
  await line('good.json').getByText('1 document added').waitFor();
  await line('lines.ndjson').getByText('2 documents added').waitFor();
  expect(await line('broken.json').locator('.problem').textContent()).toContain('json');
  await line('picture.png').getByText('Only .json, .ndjson, .jsonl and .csv').waitFor();
  await page.getByText('3 in dropped').waitFor();
});

test('a document is changed, what is no JSON is refused, and it is deleted', async () => {
  await open('documents/films');
  await page.getByRole('button', { name: /Paper Moons/ }).click();
  const text = page.getByLabel('Document as JSON');
  await text.fill('{"id": 6, ');
  await page.getByRole('button', { name: 'Save' }).click();
  expect(await alert().textContent()).toContain('This is not JSON');
  await text.fill('{"id": 6, "title": "Paper Suns"}');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: /Paper Suns/ }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('11 in films').waitFor();
  expect(await page.getByText('Paper Suns').count()).toBe(0);
});

test('a setting is changed and takes effect', async () => {
  await open('settings/films');
  await page.getByLabel('Stop words', { exact: true }).fill('the\nof');
  await page.getByText('1 change').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').waitFor();
  expect(await call(server, 'GET', '/indexes/films/settings/stop-words')).toEqual(['of', 'the']);
});

test('what is typed while settings are applied is kept, to be saved next', async () => {
  let go: () => void = () => undefined;
  const typed = new Promise<void>((resolve) => {
    go = resolve;
  });
  await page.route(/\/tasks\/\d+$/, async (route) => {
    await typed;
    await route.continue();
  });
  await open('settings/films');
  await page.getByLabel('Searchable').fill('title\noverview\ncast\ngenres');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Applying').waitFor();
  await page.getByLabel('Dictionary').fill('J. R. R.');
  go();
  await page.getByText('1 change').waitFor();
  expect(await page.getByLabel('Dictionary').inputValue()).toBe('J. R. R.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved').waitFor();
  expect(await call(server, 'GET', '/indexes/films/settings')).toMatchObject({
    searchableAttributes: ['title', 'overview', 'cast', 'genres'],
    dictionary: ['J. R. R.'],
  });
});

test('a change of settings that somebody cancels is not called saved', async () => {
  await page.route(/\/tasks\/\d+$/, async (route) => {
    const task = await (await route.fetch()).json();
    await route.fulfill({ json: { ...task, status: 'canceled', finishedAt: task.enqueuedAt } });
  });
  await open('settings/films');
  await page.getByLabel('Separators', { exact: true }).fill('|');
  await page.getByRole('button', { name: 'Save' }).click();
  await alert().getByText('The task was canceled.').waitFor();
  await page.getByText('1 change').waitFor();
});

test('a setting that cannot be is refused where it stands, and nothing changes', async () => {
  await open('settings/films');
  const before = await call(server, 'GET', '/indexes/films/settings');
  await page.getByLabel('Ranking rules').fill('words\nluck');
  await page.getByRole('button', { name: 'Save' }).click();
  const field = page.locator('.field', { has: page.getByLabel('Ranking rules') });
  await field.getByRole('alert').getByText('luck').waitFor();
  await page.getByLabel('Synonyms').fill('{"a": [');
  const synonyms = page.locator('.field', { has: page.getByLabel('Synonyms') });
  await synonyms.getByRole('alert').waitFor();
  expect(await page.getByLabel('Synonyms').getAttribute('aria-invalid')).toBe('true');
  expect(await call(server, 'GET', '/indexes/films/settings')).toEqual(before);
});

test('tasks appear while one looks, and say why they failed', async () => {
  await open('tasks');
  await page.getByText('Document addition or update').first().waitFor();
  await call(server, 'POST', '/indexes/films/documents', [{ title: 'without identifier' }]);
  await page.locator('.tasks .problem', { hasText: 'id' }).waitFor();
  await page.getByRole('combobox', { name: 'Status' }).selectOption('failed');
  await page.getByText('1 in all').waitFor();
  await page.locator('.tasks summary').click();
  await page.getByText('"missing_document_id"').waitFor();
});

test('an index is deleted once its name is typed', async () => {
  await call(server, 'POST', '/indexes', { uid: 'short-lived' });
  await open('documents/short-lived');
  await page.getByText('Delete this index').click();
  const button = page.getByRole('button', { name: 'Delete short-lived' });
  expect(await button.isDisabled()).toBe(true);
  await page.getByLabel('Type its name to delete it').fill('short-lived');
  await button.click();
  await page.waitForURL(/#\/search$/);
  expect(await call(server, 'GET', '/indexes/short-lived')).toMatchObject({
    code: 'index_not_found',
  });
});
