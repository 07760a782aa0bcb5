import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer } from '../../scripts/server-process.mjs';
import { openBrowser, type Server } from './browser.js';

let server: Server;
let browser: Browser;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await server.remove();
});

const report = (name: string, value: unknown) => ({
  tool_calls: [{ function: { name, arguments: JSON.stringify(value) } }],
});

const ANSWER = [
  report('_svcSearchProgress', {
    function_name: '_svcSearchInIndex',
    function_arguments: '{"index_uid": "films", "q": "trains", "filter": "year > 2000"}',
  }),
  report('_svcSearchSources', { sources: [{ id: 3, title: 'Dragon Train' }] }),
  { content: 'Watch Dragon Train' },
  { content: ', <b>really</b>.' },
];

/** Stands in for a provider of answers: the events that the server would send of one. */
async function answerChats(page: Page, asked: unknown[]): Promise<void> {
  const events = ANSWER.map((delta) => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`);
  await page.route(/\/experimental-features$/, (route) =>
    route.fulfill({ json: { chatCompletions: true } }),
  );
  await page.route(/\/chats\?/, (route) =>
    route.fulfill({ json: { results: [{ uid: 'guide' }] } }),
  );
  await page.route(/\/chats\/guide\/chat\/completions/, async (route) => {
    asked.push(route.request().postDataJSON());
    await route.fulfill({
      contentType: 'text/event-stream',
      body: `retry: 10000\n${events.join('')}data: [DONE]\n\n`,
    });
  });
}

test('an answer shows what was searched and what it stands on, as text', async () => {
  const page = await browser.newPage();
  const asked: unknown[] = [];
  await answerChats(page, asked);
  await page.goto(`${server.url}/#/chat`);
  await page.getByLabel('Model').fill('small');
  await page.getByLabel('Question').fill('Which film with a train?');
  await page.keyboard.press('Enter');
  await page.getByText('Watch Dragon Train, <b>really</b>.').waitFor();
  await page.getByText('Searched films: trains where year > 2000').waitFor();
  await page.getByText('1 source').click();
  await page.locator('.sources li').getByText('Dragon Train').waitFor();
  expect(asked).toMatchObject([
    {
      model: 'small',
      stream: true,
      messages: [{ role: 'user', content: 'Which film with a train?' }],
    },
  ]);
  await page.close();
});

test('there is no chat where the server has none, and none is asked for', async () => {
  const page = await browser.newPage();
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(response.url());
  });
  await page.goto(server.url);
  await page.getByRole('link', { name: 'Keys' }).waitFor();
  expect(await page.getByRole('link', { name: 'Chat' }).count()).toBe(0);
  expect(refused).toEqual([]);
  await page.close();
});
