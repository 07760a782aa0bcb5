import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServer } from '../../src/http/create-server.js';
import { servicesOf } from '../../src/http/serval-services.js';
import { Serval } from '../../src/serval.js';

/** What is refused, however it is asked for: a request, and the call that asks for the same. */
interface Case {
  readonly request: readonly [method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string];
  readonly body?: unknown;
  readonly call: () => unknown;
  readonly code: string;
}

let db: Serval;
let app: FastifyInstance;

beforeAll(async () => {
  db = await Serval.memory({ features: ['editDocumentsByFunction'] });
  app = await createServer(servicesOf(db), { payloadSizeLimit: 1e6 });
  const books = db.index('books');
  await books.updateSettings({ filterableAttributes: ['title'] });
  await (await books.addDocuments([{ id: 1, title: 'Dune' }])).wait();
});

afterAll(async () => {
  await app.close();
  await db.close();
});

/** The code of the error that a call gives, whichever way it gives it. */
async function codeOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
    return 'taken';
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

const CASES: Record<string, () => Case> = {
  'deleting by an operator whose feature is off': () => ({
    request: ['POST', '/indexes/books/documents/delete'],
    body: { filter: 'title CONTAINS un' },
    call: () => db.index('books').deleteDocuments({ filter: 'title CONTAINS un' }),
    code: 'feature_not_enabled',
  }),
  'editing by an operator whose feature is off': () => ({
    request: ['POST', '/indexes/books/documents/edit'],
    body: { filter: 'title CONTAINS un', function: 'doc' },
    call: () => db.index('books').editDocuments('doc', { filter: 'title CONTAINS un' }),
    code: 'feature_not_enabled',
  }),
};

describe('a program is refused what a request is refused, by the same code:', () => {
  test.each(Object.keys(CASES))('%s', async (name) => {
    const { request, body, call, code } = (CASES[name] as () => Case)();
    const [method, url] = request;
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await app.inject({ method, url, headers, ...payload });

    expect([answer.json().code, await codeOf(call)]).toEqual([code, code]);
  });
});
