import type { Browser } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { complaints, type Server, seriousProblems } from './browser.js';
import { withFilms } from './films-in-browser.js';

const MASTER = 'a-master-key-of-sixteen-bytes';
const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };

let server: Server;
let browser: Browser;

withFilms((opened) => {
  ({ server, browser } = opened);
}, MASTER);

/** Each view with what shows most of it. */
const VIEWS: readonly (readonly [address: string, shown: string, clicked?: string])[] = [
  ['#/search/films', '.hit', '.hit .actions button'],
  ['#/documents/films', '.documents li'],
  ['#/documents/films', '.documents li', '.documents button'],
  ['#/settings/films', '.field'],
  ['#/tasks', '.tasks li', '.tasks summary'],
  ['#/keys', '.keys li', '.heading button'],
  ['#/new', 'form'],
];

describe.each([
  ['light', { colorScheme: 'light', viewport: WIDE }],
  ['dark', { colorScheme: 'dark', viewport: WIDE }],
  ['on a phone', { colorScheme: 'light', viewport: PHONE }],
] as const)('%s', (_, look) => {
  test('nothing of any view keeps people out, and none is wider than the screen', async () => {
    const page = await browser.newPage(look);
    const complained = complaints(page);
    await page.route(/images\.invalid/, (route) => route.abort());
    await page.goto(server.url);
    await page.getByLabel('API key').waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByLabel('API key').fill(MASTER);
    await page.keyboard.press('Enter');
    await page.locator('.hit').first().waitFor();
    for (const [address, shown, clicked] of VIEWS) {
      await page.goto(`${server.url}/${address}`);
      await page.reload();
      await page.locator(shown).first().waitFor();
      if (clicked !== undefined) await page.locator(clicked).first().click();
      expect(await seriousProblems(page), address).toEqual([]);
      const isTooWide = await page.evaluate(
        'document.documentElement.scrollWidth > document.documentElement.clientWidth',
      );
      expect(isTooWide, address).toBe(false);
    }
    await page.close();
    expect(complained).toEqual([]);
  });
});
