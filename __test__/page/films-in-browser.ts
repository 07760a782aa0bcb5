import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { startServer } from '../../scripts/server-process.mjs';
import { complaints, fillFilms, openBrowser, type Server } from './browser.js';

/** What all tests of a file share. */
export interface Opened {
  readonly server: Server;
  readonly browser: Browser;
}

/** Has the tests of a file share a server with the films, and a browser. */
export function withFilms(use: (opened: Opened) => unknown, masterKey = ''): void {
  let opened: Opened;
  beforeAll(async () => {
    const [server, browser] = await Promise.all([startServer({ masterKey }), openBrowser()]);
    opened = { server, browser };
    await fillFilms(server, masterKey);
    await use(opened);
  });
  afterAll(async () => {
    await opened.browser.close();
    await opened.server.remove();
  });
}

/** Gives each test of a file a page of its own, about which the browser must have no complaints. */
export function withPages(browser: () => Browser, use: (page: Page) => unknown): void {
  let page: Page;
  let complained: string[];
  beforeEach(async () => {
    page = await browser().newPage();
    complained = complaints(page);
    await page.route(/images\.invalid/, (route) => route.abort());
    await use(page);
  });
  afterEach(async () => {
    await page.close();
    expect(complained).toEqual([]);
  });
}
