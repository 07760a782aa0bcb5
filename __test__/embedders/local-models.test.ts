import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { EmbedderOptions } from '../../src/embedders/embedders.js';
import { createServer } from '../../src/http/create-server.js';
import { servicesOf } from '../../src/http/serval-services.js';
import { Serval } from '../../src/serval.js';
import { dataFolder } from '../tasks/open-serval.js';
import { areNear, expectedOf, fixture, install } from './model-folders.js';

/** A server on a real data folder. */
async function server(path: string, embedders: EmbedderOptions = {}) {
  const db = await Serval.open(path, { embedders });
  const app = await createServer(servicesOf(db), { payloadSizeLimit: 1e6 });
  onTestFinished(async () => {
    await app.close();
    await db.close();
  });
  const call = async (method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object) => {
    const body = payload === undefined ? {} : { payload };
    const response = await app.inject({ method, url, ...body });
    return { status: response.statusCode, body: response.json() };
  };
  const write = async (method: 'POST' | 'PATCH', url: string, payload: object) => {
    const { body } = await call(method, url, payload);
    return db.tasks.waitFor(body.taskUid);
  };
  return { db, call, write };
}

const local = (model: string, more: object = {}) => ({
  embedders: {
    local: { source: 'huggingFace', model, documentTemplate: '{{doc.title}}', ...more },
  },
});

const BERT = expectedOf('bert').filter(({ text }) => text.length < 100 && text !== '');
const DOCUMENTS = BERT.map(({ text }, id) => ({ id, title: text }));

async function indexed() {
  const path = dataFolder();
  install('bert', join(path, 'models/tiny/bert'));
  const { call, write, db } = await server(path);
  expect(await write('PATCH', '/indexes/m/settings', local('tiny/bert'))).toMatchObject({
    error: null,
  });
  expect(await write('POST', '/indexes/m/documents', DOCUMENTS)).toMatchObject({ error: null });
  return { call, write, db, path };
}

describe('a model in the folder of models', () => {
  test('embeds documents as PyTorch does', async () => {
    const { call } = await indexed();
    const { body } = await call('GET', '/indexes/m/documents?retrieveVectors=true');
    for (const [at, { vector }] of BERT.entries()) {
      const { embeddings, regenerate } = body.results[at]._vectors.local;
      expect(regenerate).toBe(true);
      expect(areNear(embeddings[0], vector), String(embeddings[0])).toBe(true);
    }
  });

  test('embeds queries, alone and together with words, and finds similar documents', async () => {
    const { call } = await indexed();
    const text = BERT[1]?.text ?? '';
    const semantic = await call('POST', '/indexes/m/search', {
      q: text,
      hybrid: { embedder: 'local', semanticRatio: 1 },
      showRankingScore: true,
    });
    expect(semantic.status).toBe(200);
    expect(semantic.body.hits).toHaveLength(DOCUMENTS.length);
    expect(semantic.body.hits[0]).toMatchObject({ id: 1 });
    expect(semantic.body.hits[0]._rankingScore).toBeCloseTo(1, 4);
    const both = await call('POST', '/indexes/m/search', {
      q: 'ring',
      hybrid: { embedder: 'local', semanticRatio: 0.5 },
    });
    expect(both.body.hits).toHaveLength(DOCUMENTS.length);
    expect(both.body.semanticHitCount).toBeGreaterThan(0);
    const similar = await call('POST', '/indexes/m/similar', { id: 0, embedder: 'local' });
    expect(similar.status).toBe(200);
    expect(similar.body.hits).toHaveLength(DOCUMENTS.length - 1);
  });

  test('is used as its settings say: another pooling embeds everything anew', async () => {
    const { call, write } = await indexed();
    const first = await call('GET', '/indexes/m/documents/0?retrieveVectors=true');
    const change = { embedders: { local: { pooling: 'forceMean' } } };
    expect(await write('PATCH', '/indexes/m/settings', change)).toMatchObject({ error: null });
    const then = await call('GET', '/indexes/m/documents?retrieveVectors=true&limit=1');
    const [before] = first.body._vectors?.local?.embeddings ?? [];
    const [after] = then.body.results[0]._vectors.local.embeddings;
    expect(after).toHaveLength(16);
    expect(areNear(after, before ?? [])).toBe(false);
  });

  test('embeds many documents in one batch, and answers while it does', async () => {
    const { call, db, write } = await indexed();
    const texts = BERT.map(({ text }) => text);
    const many = Array.from({ length: 3000 }, (_, id) => ({ id, title: texts[id % texts.length] }));
    const { body } = await call('POST', '/indexes/m/documents', many);
    const search = await call('POST', '/indexes/m/search', {
      q: 'space',
      hybrid: { embedder: 'local', semanticRatio: 1 },
    });
    expect(search.status).toBe(200);
    expect(await db.tasks.waitFor(body.taskUid)).toMatchObject({ error: null });
    const near = await call('POST', '/indexes/m/similar', { id: 0, embedder: 'local', limit: 5 });
    const ids = near.body.hits.map(({ id }: { id: number }) => id % texts.length);
    expect(ids).toEqual([0, 0, 0, 0, 0]);
    expect(await write('PATCH', '/indexes/m/settings', { embedders: null })).toMatchObject({
      error: null,
    });
  });
});

describe('what is no model', () => {
  async function failure(model: string, prepare: (path: string) => void = () => undefined) {
    const path = dataFolder();
    prepare(path);
    const { call, write } = await server(path);
    await write('PATCH', '/indexes/m/settings', local(model));
    const { error } = await write('POST', '/indexes/m/documents', DOCUMENTS);
    const search = await call('POST', '/indexes/m/search', {
      q: 'space',
      hybrid: { embedder: 'local', semanticRatio: 1 },
    });
    expect(search.body).toMatchObject({ code: 'vector_embedding_error' });
    expect(error).toMatchObject({ code: 'vector_embedding_error' });
    return error?.message;
  }

  const outside = (model: string) =>
    `Index \`m\`: While embedding documents for embedder \`local\`: user error: model \`${model}\` is neither a folder in the folder of models nor the name of a model on the hub`;

  test.each(['../model', '/etc', 'a/../../model', '..', '.', '', 'a//b', 'http://x/y'])(
    '`%s` leads out of the folder of models and is refused',
    async (model) => {
      expect(await failure(model, (path) => install('bert', join(path, 'model')))).toBe(
        outside(model),
      );
    },
  );

  test('a link that leads out of the folder is refused', async () => {
    const message = await failure('link', (path) => {
      install('bert', join(dirname(path), 'elsewhere'));
      mkdirSync(join(path, 'models'), { recursive: true });
      symlinkSync(join(dirname(path), 'elsewhere'), join(path, 'models/link'));
    });
    expect(message).toBe(outside('link'));
  });

  test('an absolute path inside of the folder is taken, by its own folder of models, too', async () => {
    const models = dataFolder();
    cpSync(fixture('roberta'), join(models, 'mine'), { recursive: true });
    const { write } = await server(dataFolder(), { localModels: { folder: models } });
    await write('PATCH', '/indexes/m/settings', local(join(models, 'mine')));
    const added = await write('POST', '/indexes/m/documents', DOCUMENTS);
    expect(added).toMatchObject({ status: 'succeeded', error: null });
  });

  test('a folder whose files do not fit together is named with what is wrong', async () => {
    const message = await failure('broken', (path) => {
      install('bert', join(path, 'models/broken'));
      const from = join(fixture('roberta'), 'model.safetensors');
      cpSync(from, join(path, 'models/broken/model.safetensors'));
    });
    expect(message).toContain('could not load model `broken`: cannot use ');
    expect(message).toContain('model.safetensors');
  });
});
