// The requests that the examples of the OpenAPI document are recorded from: one for each route, in an order in which all
// of them succeed on a fresh server.
import { SETTING_STEPS } from './setting-steps.mjs';

/**
 * @typedef {object} Step
 * @property {string} route method and path pattern
 * @property {Record<string, string | number>} [params] parts of the path
 * @property {Record<string, string | number | boolean | string[]>} [query]
 * @property {unknown} [body]
 * @property {string} [contentType] of the body; JSON when absent
 * @property {boolean} [earlier] sent in the earlier shape
 * @property {Step} [streaming] the answer does not end by itself: this is sent once it began
 * @property {boolean} [running] the next step shall find its task unfinished
 * @property {string} [save] the name under which the answer is kept for `{name.field}` in later steps
 */

const indexUid = 'films';
const films = { indexUid };
const FILMS = [
  { id: 1, title: 'Alien', genres: ['Horror'], year: 1979, _vectors: { taste: [0.9, 0.1, 0.2] } },
  { id: 2, title: 'Amélie', genres: ['Comedy'], year: 2001, _vectors: { taste: [0.1, 0.9, 0.3] } },
  { id: 3, title: 'Aliens', genres: ['Action'], year: 1986, _vectors: { taste: [0.8, 0.2, 0.4] } },
];
const SETTINGS = {
  searchableAttributes: ['title', 'genres'],
  filterableAttributes: ['genres', 'year'],
  sortableAttributes: ['year'],
  embedders: { taste: { source: 'userProvided', dimensions: 3 } },
};
const FEATURES = {
  metrics: true,
  logsRoute: true,
  editDocumentsByFunction: true,
  network: true,
  dynamicSearchRules: true,
  getTaskDocumentsRoute: true,
  taskQueueCompactionRoute: true,
  chatCompletions: true,
  foreignKeys: true,
  renderRoute: true,
};

/** @type {Step[]} */
const FILLING = [
  { route: 'GET /' },
  { route: 'GET /health' },
  { route: 'GET /version' },
  { route: 'PATCH /experimental-features', body: FEATURES },
  { route: 'GET /experimental-features' },
  { route: 'POST /indexes', body: { uid: indexUid, primaryKey: 'id' } },
  { route: 'PATCH /indexes/:indexUid/settings', params: films, body: SETTINGS },
  { route: 'POST /indexes/:indexUid/documents', params: films, body: FILMS },
  {
    route: 'PUT /indexes/:indexUid/documents',
    params: films,
    body: [
      { id: 1, stock: 3 },
      { id: 2, stock: 0 },
    ],
  },
  {
    route: 'POST /indexes/:indexUid/documents/edit',
    params: films,
    body: {
      function: 'doc.decade = doc.year / 10 * 10;',
      filter: 'year > 1980',
    },
  },
];

/** @type {Step[]} */
const READING = [
  { route: 'GET /indexes' },
  { route: 'GET /indexes/:indexUid', params: films },
  { route: 'GET /indexes/:indexUid/settings', params: films },
  { route: 'GET /indexes/:indexUid/stats', params: films },
  { route: 'GET /stats' },
  {
    route: 'POST /indexes/:indexUid/fields',
    params: films,
    body: { filter: { filterable: true } },
  },
  { route: 'GET /indexes/:indexUid/documents', params: films, query: { fields: ['id', 'title'] } },
  {
    route: 'POST /indexes/:indexUid/documents/fetch',
    params: films,
    body: { filter: 'genres = Horror', limit: 2 },
  },
  { route: 'GET /indexes/:indexUid/documents/:documentId', params: { indexUid, documentId: '1' } },
  {
    route: 'POST /indexes/:indexUid/search',
    params: films,
    body: {
      q: 'alein',
      filter: 'year < 1990',
      facets: ['genres'],
      sort: ['year:desc'],
      attributesToHighlight: ['title'],
      showRankingScore: true,
    },
  },
  {
    route: 'GET /indexes/:indexUid/search',
    params: films,
    query: { q: 'amelie', attributesToRetrieve: ['title'], limit: 3 },
  },
  {
    route: 'POST /multi-search',
    body: {
      federation: { limit: 2 },
      queries: [
        { indexUid, q: 'alien' },
        { indexUid, q: 'amelie', federationOptions: { weight: 0.8 } },
      ],
    },
  },
  {
    route: 'POST /indexes/:indexUid/facet-search',
    params: films,
    body: { facetName: 'genres', facetQuery: 'co' },
  },
  {
    route: 'POST /indexes/:indexUid/similar',
    params: films,
    body: { id: 1, embedder: 'taste', limit: 1 },
  },
  {
    route: 'GET /indexes/:indexUid/similar',
    params: films,
    query: { id: '1', embedder: 'taste', attributesToRetrieve: ['title'] },
  },
  { route: 'GET /tasks', query: { statuses: ['succeeded'], limit: 1 } },
  { route: 'GET /tasks/:taskUid', params: { taskUid: 2 } },
  { route: 'GET /batches', query: { limit: 1 } },
  { route: 'GET /batches/:batchUid', params: { batchUid: 2 } },
  { route: 'GET /indexes/:indexUid/updates', params: films },
  { route: 'GET /indexes/:indexUid/updates/:updateId', params: { indexUid, updateId: 2 } },
  { route: 'GET /metrics' },
];

const text = { kind: 'inlineDocumentTemplate', inline: 'A film called {{ doc.title }}' };
const pin = { selector: { indexUid, id: '2' }, action: { type: 'pin', position: 0 } };

/** @type {Step[]} */
const FURTHER = [
  {
    route: 'PATCH /dynamic-search-rules/:ruleUid',
    params: { ruleUid: 'romance' },
    body: { conditions: { query: { words: 'romance' } }, actions: [pin] },
  },
  { route: 'POST /dynamic-search-rules', body: { filter: { active: true } } },
  { route: 'GET /dynamic-search-rules/:ruleUid', params: { ruleUid: 'romance' } },
  { route: 'DELETE /dynamic-search-rules/:ruleUid', params: { ruleUid: 'romance' } },
  { route: 'DELETE /dynamic-search-rules' },
  {
    route: 'POST /render-template',
    body: { template: text, input: { kind: 'indexDocument', indexUid, id: '1' } },
  },
  {
    route: 'POST /keys',
    body: {
      name: 'The shop',
      description: 'Searches films from the shop',
      actions: ['search'],
      indexes: [indexUid],
      expiresAt: '2042-04-02T00:42:42Z',
      uid: '6062abda-a5aa-4414-ac91-ecd7944c0f8d',
    },
  },
  { route: 'GET /keys', query: { limit: 1 } },
  { route: 'GET /keys/:uidOrKey', params: { uidOrKey: '6062abda-a5aa-4414-ac91-ecd7944c0f8d' } },
  {
    route: 'PATCH /keys/:uidOrKey',
    params: { uidOrKey: '6062abda-a5aa-4414-ac91-ecd7944c0f8d' },
    body: { name: 'The new shop' },
  },
  { route: 'DELETE /keys/:uidOrKey', params: { uidOrKey: '6062abda-a5aa-4414-ac91-ecd7944c0f8d' } },
  {
    route: 'PATCH /chats/:workspaceUid/settings',
    params: { workspaceUid: 'shop' },
    body: { source: 'vLlm', baseUrl: '{provider}', apiKey: 'a key of the provider' },
  },
  { route: 'GET /chats/:workspaceUid/settings', params: { workspaceUid: 'shop' } },
  { route: 'GET /chats' },
  { route: 'GET /chats/:workspaceUid', params: { workspaceUid: 'shop' } },
  {
    route: 'POST /chats/:workspaceUid/chat/completions',
    params: { workspaceUid: 'shop' },
    body: {
      model: 'a-model',
      stream: true,
      messages: [{ role: 'user', content: 'Which film is about an alien?' }],
    },
  },
  { route: 'DELETE /chats/:workspaceUid/settings', params: { workspaceUid: 'shop' } },
  { route: 'DELETE /chats/:workspaceUid', params: { workspaceUid: 'shop' } },
  {
    route: 'PATCH /network',
    body: { self: 'one', remotes: { two: { url: 'http://127.0.0.1:7701' } } },
  },
  { route: 'GET /network' },
  { route: 'POST /network/control', body: {} },
  { route: 'POST /logs/stderr', body: { target: 'info' } },
  {
    route: 'POST /logs/stream',
    body: { mode: 'json', target: 'info' },
    streaming: { route: 'POST /indexes', body: { uid: 'logged' } },
  },
  { route: 'DELETE /logs/stream' },
  {
    route: 'GET /tasks/stream',
    streaming: { route: 'POST /indexes', body: { uid: 'followed' } },
  },
  {
    route: 'GET /batches/stream',
    streaming: { route: 'POST /indexes', body: { uid: 'followed-too' } },
  },
  {
    route: 'POST /webhooks',
    save: 'webhook',
    body: { url: 'http://127.0.0.1:7702/hook', headers: { Authorization: 'Bearer a secret' } },
  },
  { route: 'GET /webhooks' },
  { route: 'GET /webhooks/:uuid', params: { uuid: '{webhook.uuid}' } },
  {
    route: 'PATCH /webhooks/:uuid',
    params: { uuid: '{webhook.uuid}' },
    body: { headers: { Authorization: null, 'X-Shop': 'films' } },
  },
  { route: 'DELETE /webhooks/:uuid', params: { uuid: '{webhook.uuid}' } },
];

/** @type {Step[]} */
const ENDING = [
  { route: 'POST /dumps' },
  { route: 'POST /snapshots' },
  { route: 'POST /indexes/:indexUid/compact', params: films },
  { route: 'POST /indexes', body: { uid: 'films-new' } },
  {
    route: 'POST /swap-indexes',
    body: [{ indexes: [indexUid, 'films-new'] }],
  },
  {
    route: 'PATCH /indexes/:indexUid',
    params: { indexUid: 'films-new' },
    body: { uid: 'films-old' },
  },
  {
    route: 'POST /indexes/:indexUid/documents/delete',
    params: { indexUid: 'films-old' },
    body: { filter: 'year < 1980' },
  },
  {
    route: 'POST /indexes/:indexUid/documents/delete-batch',
    params: { indexUid: 'films-old' },
    body: [1, 2],
  },
  {
    route: 'DELETE /indexes/:indexUid/documents/:documentId',
    params: { indexUid: 'films-old', documentId: '3' },
  },
  { route: 'DELETE /indexes/:indexUid/documents', params: { indexUid: 'films-old' } },
  // Copying to a server that is not there takes a while: what comes after it waits.
  {
    route: 'POST /export',
    save: 'export',
    running: true,
    body: { url: 'http://127.0.0.1:7703', indexes: { films: { overrideSettings: true } } },
  },
  {
    route: 'POST /indexes/:indexUid/documents',
    params: films,
    save: 'waiting',
    running: true,
    body: [{ id: 4, title: 'Arrival' }],
  },
  { route: 'GET /tasks/:taskUid/documents', params: { taskUid: '{waiting.taskUid}' } },
  { route: 'POST /tasks/cancel', query: { uids: '{export.taskUid}' } },
  { route: 'DELETE /tasks', query: { statuses: ['canceled', 'failed'] } },
  { route: 'DELETE /indexes/:indexUid', params: { indexUid: 'films-old' } },
  { route: 'POST /tasks/compact' },
];

/**
 * The steps that fill a server.
 * @type {readonly Step[]}
 */
export const FILLED = [...FILLING, ...READING];

/** @type {readonly Step[]} */
export const STORY = [...FILLED, ...SETTING_STEPS, ...FURTHER, ...ENDING];
