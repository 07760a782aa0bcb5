import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createServer } from '../../src/http/create-server.js';
import { servicesOf } from '../../src/http/serval-services.js';
import { growingPauses, Personalizer } from '../../src/personalization/personalizer.js';
import { Serval } from '../../src/serval.js';
import type { Pauses } from '../../src/waiting/with-retries.js';
import { dataFolder } from '../tasks/open-serval.js';

const DOCUMENTS = [
  { id: 1, title: 'night train' },
  { id: 2, title: 'night bus' },
  { id: 3, title: 'night plane' },
  { id: 4, title: 'day boat' },
];

interface Asked {
  readonly authorization: string | undefined;
  readonly body: { query: string; documents: string[]; model: string };
}

/** Answers one request of the service. */
type Answer = (response: ServerResponse, documents: readonly string[]) => void;

const says =
  (status: number, text = ''): Answer =>
  (response) => {
    response.writeHead(status);
    response.end(text);
  };

/** Puts the documents in the opposite order. */
const backwards: Answer = (response, documents) => {
  const results = documents.map((_, index) => ({ index, relevance_score: index })).reverse();
  response.end(JSON.stringify({ results }));
};

let asked: Asked[];
let answers: Answer[];
let url: string;
let db: Serval;
let call: (
  url: string,
  payload: object,
  method?: 'POST' | 'PATCH',
) => Promise<{ status: number; body: Body }>;

interface Body {
  readonly hits: { readonly id: number }[];
  readonly code?: string;
  readonly message?: string;
}

beforeEach(async () => {
  asked = [];
  answers = [];
  const provider = createHttpServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    asked.push({ authorization: request.headers.authorization, body });
    (answers.shift() ?? backwards)(response, body.documents);
  });
  await new Promise<void>((resolve) => {
    provider.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1/rerank`;
  db = await Serval.open(dataFolder(), { personalization: { apiKey: 'secret', url } });
  // Tries follow each other at once: only how long they wait is not that of the real thing.
  const pauses: Pauses = (...after) => (growingPauses(...after) === undefined ? undefined : 0);
  const patient = new Personalizer({ apiKey: 'secret', url, pauses });
  const services = { ...servicesOf(db), personalizer: patient };
  const app = await createServer(services, { payloadSizeLimit: 1e6 });
  onTestFinished(async () => {
    await app.close();
    await db.close();
    provider.closeAllConnections();
    provider.close();
  });
  call = async (path, payload, method = 'POST') => {
    const response = await app.inject({ method, url: path, payload });
    return { status: response.statusCode, body: response.json() };
  };
  const { body } = await call('/indexes/m/documents', DOCUMENTS);
  await db.tasks.waitFor((body as unknown as { taskUid: number }).taskUid);
});

const personalize = { userContext: 'likes trains' };
const search = (more: object = {}) =>
  call('/indexes/m/search', { q: 'night', personalize, ...more });
const ids = ({ body }: { body: Body }) => body.hits.map(({ id }) => id);

test('the hits of a page are ordered by the service', async () => {
  expect(ids(await search())).toEqual([3, 2, 1]);
  expect(asked).toEqual([
    {
      authorization: 'Bearer secret',
      body: {
        query: 'User Context: likes trains\nQuery: night',
        documents: DOCUMENTS.slice(0, 3).map((document) => JSON.stringify(document)),
        model: 'rerank-english-v3.0',
      },
    },
  ]);
  expect(ids(await search({ limit: 2 }))).toEqual([2, 1]);
  expect(db.usage.personalizedSearches).toBe(2);
});

test('without a query the service is told of the user alone', async () => {
  await search({ q: ' ', limit: 1 });
  expect(asked[0]?.body.query).toBe('User Context: likes trains');
});

test('a page without hits is not sent', async () => {
  expect(ids(await search({ q: 'nothing' }))).toEqual([]);
  expect(asked).toEqual([]);
});

test('documents are sent as they are stored, not as they are highlighted', async () => {
  const { body } = await search({ limit: 1, attributesToHighlight: ['*'], showRankingScore: true });
  expect(asked[0]?.body.documents).toEqual([JSON.stringify(DOCUMENTS[0])]);
  expect(body.hits[0]).toHaveProperty('_formatted');
});

test('hits that the service passes over come last', async () => {
  answers.push(says(200, '{"results":[{"index":2}]}'));
  expect(ids(await search())).toEqual([3, 1, 2]);
});

test('pinned documents keep their place', async () => {
  await db.features.set({ dynamicSearchRules: true });
  await db.rules.update('a', {
    actions: [{ selector: { id: '4' }, action: { type: 'pin', position: 1 } }],
  });
  const answer = await search();
  expect(ids(answer)).toEqual([3, 4, 2, 1]);
  expect(answer.body).not.toHaveProperty('pinned');
  expect(asked[0]?.body.documents.length).toBe(3);
});

test('one list of several searches is ordered as a whole', async () => {
  const queries = [{ indexUid: 'm', q: 'night' }];
  const answer = await call('/multi-search', { queries, federation: { personalize } });
  expect(ids(answer)).toEqual([3, 2, 1]);
  expect(answer.body).not.toHaveProperty('pinned');
});

describe('a failure of the service', () => {
  test.each([
    [401, 'remote_invalid_api_key', 403],
    [400, 'remote_bad_request', 400],
    [404, 'remote_bad_response', 502],
  ])('%i is answered at once as %s', async (status, code, answered) => {
    answers.push(says(status, 'no'));
    const { status: got, body } = await search();
    expect([got, body.code]).toEqual([answered, code]);
    expect(body.message).toBe(`Personalization service: answered ${status}: no`);
    expect(asked.length).toBe(1);
  });

  test.each([
    [429, 'too_many_search_requests', 503],
    [500, 'remote_remote_error', 502],
  ])('%i is answered as %s after ten more tries', async (status, code, answered) => {
    answers.push(...Array.from({ length: 11 }, () => says(status)));
    const { status: got, body } = await search();
    expect([got, body.code]).toEqual([answered, code]);
    expect(body.message).toBe(`Personalization service: answered ${status}`);
    expect(asked.length).toBe(11);
  });

  test('is forgotten when a later try succeeds', async () => {
    answers.push(says(503), says(429));
    expect(ids(await search())).toEqual([3, 2, 1]);
  });

  test.each([
    '',
    'no JSON',
    'null',
    '{"results":1}',
    '{"results":[{"index":-1}]}',
    '{"results":[2]}',
  ])('an answer that is no order: %j', async (text) => {
    answers.push(says(200, text));
    const { status, body } = await search();
    expect([status, body.code]).toEqual([502, 'remote_bad_response']);
  });

  test('a connection that breaks', async () => {
    answers.push(...Array.from({ length: 11 }, (): Answer => (response) => response.destroy()));
    const { status, body } = await search();
    expect([status, body.code]).toEqual([502, 'remote_could_not_send_request']);
  });

  test('a service that is too slow leaves the hits as they are', async () => {
    const change = await call('/indexes/m/settings', { searchCutoffMs: 200 }, 'PATCH');
    await db.tasks.waitFor((change.body as unknown as { taskUid: number }).taskUid);
    answers.push(() => undefined);
    expect(ids(await search())).toEqual([1, 2, 3]);
  });
});
