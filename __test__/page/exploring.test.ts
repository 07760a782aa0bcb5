import type { Browser } from 'playwright-core';
import { expect, test } from 'vitest';
import { startServer } from '../../scripts/server-process.mjs';
import { complaints, type Server, seriousProblems } from './browser.js';
import { withFilms } from './films-in-browser.js';

const MASTER = 'a-master-key-of-sixteen-bytes';

let server: Server;
let browser: Browser;

withFilms((opened) => {
  ({ server, browser } = opened);
}, MASTER);

test('a route is found by words, filled in by its example, and tried with a key', async () => {
  const page = await browser.newPage();
  const complained = complaints(page);
  await page.goto(`${server.url}/docs`);
  await page.getByLabel('Find a route').fill('facet-search');
  const routes = page.getByRole('navigation', { name: 'Routes' });
  expect(await routes.getByRole('listitem').count()).toBe(4);
  await routes.getByRole('link', { name: 'POST /indexes/{indexUid}/facet-search' }).click();
  await page.getByText('Asks for: search').waitFor();
  expect(await page.getByLabel('indexUid').inputValue()).toBe('films');
  await page.getByLabel('Body', { exact: true }).fill('{"facetName":"genres","facetQuery":"dra"}');
  const answer = page.getByRole('region', { name: 'Answer' });

  await page.getByRole('button', { name: 'Send' }).click();
  await answer.getByText('missing_authorization_header', { exact: false }).waitFor();
  expect(await answer.getByText('401').count()).toBe(1);

  await page.getByLabel('API key').fill(MASTER);
  await page.getByRole('button', { name: 'Send' }).click();
  await answer.getByText('"facetHits"', { exact: false }).waitFor();
  expect(await answer.getByText('200', { exact: true }).count()).toBe(1);
  await page.close();
  expect(complained).toEqual([]);
});

test('an answer that does not end is shown as it comes, until it is stopped', async () => {
  const page = await browser.newPage();
  await page.goto(`${server.url}/docs#followTasks`);
  await page.getByLabel('API key').fill(MASTER);
  await page.getByRole('button', { name: 'Send' }).click();
  const answer = page.getByRole('region', { name: 'Answer' });
  await answer.getByText('200', { exact: true }).waitFor();
  await fetch(`${server.url}/indexes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${MASTER}`, 'content-type': 'application/json' },
    body: '{"uid":"followed"}',
  });
  await answer.getByText('"indexUid":"followed"', { exact: false }).waitFor();
  const stop = page.getByRole('button', { name: 'Stop' });
  await stop.click();
  await stop.waitFor({ state: 'detached' });
  await page.close();
});

test.each(['light', 'dark'] as const)('nothing of it keeps people out, %s', async (colorScheme) => {
  const page = await browser.newPage({ colorScheme });
  const complained = complaints(page);
  await page.goto(`${server.url}/docs#search`);
  await page.getByRole('button', { name: 'Send' }).waitFor();
  expect(await seriousProblems(page)).toEqual([]);
  await page.close();
  expect(complained).toEqual([]);
});

test('it is there where the page is, under the same policy, and nowhere else', async () => {
  const shown = await fetch(`${server.url}/docs`);
  expect(shown.status).toBe(200);
  expect(shown.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = shown.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'self'");
  expect(policy).toContain("trusted-types 'none'");
  expect(policy).not.toMatch(/unsafe|\*/);
  const production = await startServer({ masterKey: MASTER, args: ['--env', 'production'] });
  try {
    expect((await fetch(`${production.url}/docs`)).status).toBe(404);
    expect((await fetch(`${production.url}/openapi.json`)).status).toBe(200);
  } finally {
    await production.remove();
  }
});
