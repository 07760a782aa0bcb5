import { ACTIONS, type Action, type KeyAction, OTHER_CHAT_ACTION } from '../../src/auth/actions.js';

/** Nothing is asked of the sender. */
export const OPEN = 'open';

const SETTING_PATHS = [
  'chat',
  'dictionary',
  'displayed-attributes',
  'distinct-attribute',
  'embedders',
  'facet-search',
  'faceting',
  'filterable-attributes',
  'foreign-keys',
  'localized-attributes',
  'non-separator-tokens',
  'pagination',
  'prefix-search',
  'proximity-precision',
  'ranking-rules',
  'search-cutoff-ms',
  'searchable-attributes',
  'separator-tokens',
  'sortable-attributes',
  'stop-words',
  'synonyms',
  'typo-tolerance',
].map((name) => `/indexes/{}/settings/${name}`);

const settingRoutes = (): [string, Action][] =>
  ['/indexes/{}/settings', ...SETTING_PATHS].flatMap((path): [string, Action][] => [
    [`GET ${path}`, 'settings.get'],
    ...['PATCH', 'PUT', 'POST', 'DELETE'].map((method): [string, Action] => [
      `${method} ${path}`,
      'settings.update',
    ]),
  ]);

/** Actions that open a route beside those that follow from what it asks for. */
export const ALSO_OPENED_BY: ReadonlyMap<string, readonly KeyAction[]> = new Map([
  ['GET /chats/{}/settings', ['chats.get', 'chats.*']],
]);

/** Actions that a key must hold, too. */
export const ALSO_ASKED_BY: ReadonlyMap<string, Action> = new Map([
  ['POST /render-template', 'documents.get'],
]);

/**
 * What each route asks for, as documented; parts of paths that vary are `{}`. Entries may be of
 * routes that the server does not have.
 */
export const ROUTE_ACTIONS: ReadonlyMap<string, Action | typeof OPEN> = new Map([
  ['GET /', OPEN],
  ['GET /page/{}', OPEN],
  ['GET /health', OPEN],
  ['GET /openapi.json', OPEN],
  ['GET /docs', OPEN],
  ['GET /version', 'version'],
  ['GET /indexes', 'indexes.get'],
  ['POST /indexes', 'indexes.create'],
  ['GET /indexes/{}', 'indexes.get'],
  ['PATCH /indexes/{}', 'indexes.update'],
  ['DELETE /indexes/{}', 'indexes.delete'],
  ['POST /indexes/{}/compact', 'indexes.compact'],
  ['POST /indexes/{}/fields', 'fields.post'],
  ['POST /swap-indexes', 'indexes.swap'],
  ['GET /stats', 'stats.get'],
  ['GET /indexes/{}/stats', 'stats.get'],
  ['GET /indexes/{}/documents', 'documents.get'],
  ['POST /indexes/{}/documents/fetch', 'documents.get'],
  ['GET /indexes/{}/documents/{}', 'documents.get'],
  ['POST /indexes/{}/documents', 'documents.add'],
  ['PUT /indexes/{}/documents', 'documents.add'],
  ['DELETE /indexes/{}/documents', 'documents.delete'],
  ['DELETE /indexes/{}/documents/{}', 'documents.delete'],
  ['POST /indexes/{}/documents/delete-batch', 'documents.delete'],
  ['POST /indexes/{}/documents/delete', 'documents.delete'],
  ['POST /indexes/{}/documents/edit', 'documents.*'],
  ['GET /indexes/{}/search', 'search'],
  ['POST /indexes/{}/search', 'search'],
  ['POST /indexes/{}/facet-search', 'search'],
  ['GET /indexes/{}/similar', 'search'],
  ['POST /indexes/{}/similar', 'search'],
  ['POST /multi-search', 'search'],
  ['GET /tasks', 'tasks.get'],
  ['DELETE /tasks', 'tasks.delete'],
  ['POST /tasks/cancel', 'tasks.cancel'],
  ['POST /tasks/compact', 'tasks.compact'],
  ['GET /tasks/stream', 'tasks.get'],
  ['GET /tasks/{}', 'tasks.get'],
  ['GET /tasks/{}/documents', 'tasks.get'],
  ['GET /batches', 'tasks.get'],
  ['GET /batches/stream', 'tasks.get'],
  ['GET /batches/{}', 'tasks.get'],
  ['GET /indexes/{}/updates', 'tasks.get'],
  ['GET /indexes/{}/updates/{}', 'tasks.get'],
  ['GET /keys', 'keys.get'],
  ['POST /keys', 'keys.create'],
  ['GET /keys/{}', 'keys.get'],
  ['PATCH /keys/{}', 'keys.update'],
  ['DELETE /keys/{}', 'keys.delete'],
  ['GET /experimental-features', 'experimental.get'],
  ['PATCH /experimental-features', 'experimental.update'],
  ['GET /network', 'network.get'],
  ['PATCH /network', 'network.update'],
  ['POST /network/control', 'network.update'],
  ['GET /metrics', 'metrics.get'],
  ['POST /logs/stream', 'metrics.get'],
  ['DELETE /logs/stream', 'metrics.get'],
  ['POST /logs/stderr', 'metrics.get'],
  ['POST /dumps', 'dumps.create'],
  ['POST /snapshots', 'snapshots.create'],
  ['POST /export', 'export'],
  ['GET /webhooks', 'webhooks.get'],
  ['POST /webhooks', 'webhooks.create'],
  ['GET /webhooks/{}', 'webhooks.get'],
  ['PATCH /webhooks/{}', 'webhooks.update'],
  ['DELETE /webhooks/{}', 'webhooks.delete'],
  ['GET /chats', 'chats.get'],
  ['GET /chats/{}', 'chats.get'],
  ['DELETE /chats/{}', 'chats.delete'],
  ['POST /chats/{}/chat/completions', 'chatCompletions'],
  ['GET /chats/{}/settings', 'chatsSettings.get'],
  ['PATCH /chats/{}/settings', 'chatsSettings.update'],
  ['DELETE /chats/{}/settings', 'chatsSettings.update'],
  ['POST /dynamic-search-rules', 'dynamicSearchRules.get'],
  ['GET /dynamic-search-rules/{}', 'dynamicSearchRules.get'],
  ['DELETE /dynamic-search-rules', 'dynamicSearchRules.delete'],
  ['PATCH /dynamic-search-rules/{}', 'dynamicSearchRules.update'],
  ['DELETE /dynamic-search-rules/{}', 'dynamicSearchRules.delete'],
  ['POST /render-template', 'settings.get'],
  ...settingRoutes(),
]);

/** The actions of a key that open a route which asks for one: itself, its group, and wider ones. */
export function openedBy(asked: Action): readonly KeyAction[] {
  const reading = /^(search|version|export|fields\.post|(?!keys\.).*\.get)$/.test(asked);
  const group = ACTIONS.find((action) => action === `${asked.split('.')[0]}.*`);
  return [
    '*',
    asked,
    ...(group === undefined || !asked.includes('.') ? [] : [group]),
    ...(reading ? (['*.get'] as const) : []),
    ...(asked === 'chatCompletions' ? ([OTHER_CHAT_ACTION] as const) : []),
  ];
}
