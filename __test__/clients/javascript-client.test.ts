import { Index, Meilisearch } from 'meilisearch';
import { generateTenantToken } from 'meilisearch/token';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startServer } from '../../scripts/server-process.mjs';
import { type ChatService, startChatService } from './chat-service.js';
import { CLIENT_METHODS } from './client-methods.js';
import { CHAT_METHODS, FEATURE_METHODS } from './feature-methods.js';
import { INDEX_METHODS } from './index-methods.js';
import { FILMS, type Film, type MethodCheck, type Stage } from './method-check.js';
import { SETTING_METHODS } from './setting-methods.js';
import { BATCH_METHODS, TASK_METHODS } from './task-methods.js';

const MASTER = 'a-master-key-for-tests';
const shell = new Meilisearch({ host: 'http://127.0.0.1:1' });

/** The classes of the client: their methods, and the checks of them. */
const CLASSES: readonly (readonly [object, Readonly<Record<string, MethodCheck>>])[] = [
  [shell, { ...CLIENT_METHODS, ...FEATURE_METHODS }],
  [new Index({ host: 'http://127.0.0.1:1' }, 'x'), { ...INDEX_METHODS, ...SETTING_METHODS }],
  [shell.tasks, TASK_METHODS],
  [shell.batches, BATCH_METHODS],
  [shell.chat('x'), CHAT_METHODS],
];

const CLASS_NAMES = ['Meilisearch', 'Index', 'TaskClient', 'BatchClient', 'ChatWorkspace'];

/** The methods of an object: of its class, and static ones. */
function methodsOf(object: object): string[] {
  const prototype = Object.getPrototypeOf(object) as object;
  const own = (holder: object): string[] =>
    Object.entries(Object.getOwnPropertyDescriptors(holder))
      .filter(([name, { value }]) => typeof value === 'function' && name !== 'constructor')
      .map(([name]) => name);
  return [...own(prototype), ...own(prototype.constructor)];
}

let server: Awaited<ReturnType<typeof startServer>>;
let chatService: ChatService;
let client: Meilisearch;
let stage: Stage;
let nextIndex = 0;

beforeAll(async () => {
  chatService = await startChatService();
  const args = ['--experimental-allowed-ip-networks', '127.0.0.0/8'];
  server = await startServer({ masterKey: MASTER, args });
  const defaultWaitOptions = { interval: 5, timeout: 15_000 };
  client = new Meilisearch({ host: server.url, apiKey: MASTER, defaultWaitOptions });
  const features = Object.keys(await client.getExperimentalFeatures());
  const off = ['legacySearch', 'disableDocumentsFetchQueue'];
  await client.updateExperimentalFeatures(
    Object.fromEntries(features.map((name) => [name, !off.includes(name)])),
  );
});
afterAll(async () => {
  chatService.close();
  await server.remove();
});

beforeEach(async () => {
  nextIndex += 1;
  const index = client.index<Film>(`films-${nextIndex}`);
  await index.updateSettings({
    filterableAttributes: ['genre', 'year', 'id'],
    sortableAttributes: ['year'],
  });
  await index.addDocuments([...FILMS], { primaryKey: 'id' }).waitTask();
  stage = { client, index, chatService: chatService.url };
});

describe.each(
  CLASSES.map(([object, checks], at) => ({ name: CLASS_NAMES[at] ?? '', object, checks })),
)('$name of the official JavaScript client', ({ object, checks }) => {
  test('has no method without a check, and no check is of nothing', () => {
    expect(Object.keys(checks).sort()).toEqual(methodsOf(object).sort());
  });

  test.each(Object.entries(checks))('%s', async (_, check) => check(stage));
});

test('a tenant token made with the client opens what its rules say', async () => {
  const key = await client.createKey({ actions: ['search'], indexes: ['*'], expiresAt: null });
  const token = await generateTenantToken({
    apiKey: key.key,
    apiKeyUid: key.uid,
    searchRules: { [stage.index.uid]: { filter: 'year > 1980' } },
  });
  const tenant = new Meilisearch({ host: server.url, apiKey: token });
  expect((await tenant.index(stage.index.uid).search('alien')).hits).toMatchObject([{ id: 2 }]);
  await expect(tenant.index('films-0').search('')).rejects.toThrow(/cannot acces the index/);
});
