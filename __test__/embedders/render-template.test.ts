import { expect, onTestFinished, test } from 'vitest';
import { createServer } from '../../src/http/create-server.js';
import { servicesOf } from '../../src/http/serval-services.js';
import { Serval } from '../../src/serval.js';
import { dataFolder } from '../tasks/open-serval.js';

const MASTER = 'a-master-key-of-bytes';

async function server(features: Record<string, boolean> = { renderRoute: true, multimodal: true }) {
  const db = await Serval.open(dataFolder());
  const app = await createServer(servicesOf(db), { payloadSizeLimit: 1e6, masterKey: MASTER });
  onTestFinished(async () => {
    await app.close();
    await db.close();
  });
  await db.features.set(features);
  const index = db.index('i');
  await (await index.addDocuments([{ id: 1, title: 'Alien', year: 1979 }])).wait();
  const fragments = { pair: { value: { text: '{{doc.title}}', year: '{{doc.year}}' } } };
  const rest = { source: 'rest', url: 'http://127.0.0.1:9', dimensions: 1 } as const;
  const embedders = {
    texts: {
      ...rest,
      request: '{{text}}',
      response: '{{embedding}}',
      documentTemplate: 'A film: {{doc.title}}',
      documentTemplateMaxBytes: 10,
    },
    parts: {
      ...rest,
      request: '{{fragment}}',
      response: '{{embedding}}',
      indexingFragments: fragments,
      searchFragments: { query: { value: 'for {{q}}' } },
    },
  };
  const other = db.index('e');
  await (await other.updateSettings({ embedders })).wait();
  return { app, db };
}

async function render(
  { app }: { app: Awaited<ReturnType<typeof createServer>> },
  template: object,
  input?: object,
  key = MASTER,
) {
  const response = await app.inject({
    method: 'POST',
    url: '/render-template',
    headers: { authorization: `Bearer ${key}` },
    payload: { template, ...(input === undefined ? {} : { input }) },
  });
  return { status: response.statusCode, body: response.json() };
}

const inline = { kind: 'inlineDocumentTemplate', inline: '{{doc.title | upcase}}' };
const alien = { kind: 'inlineDocument', inline: { title: 'Alien', year: 1979 } };
const film = { kind: 'documentTemplate', indexUid: 'e', embedder: 'texts' };

test('templates and inputs of requests and of indexes are rendered', async () => {
  const open = await server();
  const stored = { kind: 'indexDocument', indexUid: 'i', id: '1' };
  const part = { kind: 'indexingFragment', indexUid: 'e', embedder: 'parts', fragment: 'pair' };
  const query = { kind: 'searchFragment', indexUid: 'e', embedder: 'parts', fragment: 'query' };
  const search = { kind: 'inlineSearch', inline: { q: 'cats' } };
  const results = [
    await render(open, inline, stored),
    await render(open, film, alien),
    await render(open, { ...film, documentTemplateMaxBytes: 100 }, alien),
    await render(open, part, alien),
    await render(open, query, search),
    await render(open, { kind: 'inlineFragment', inline: ['{{doc.year}}', 3] }, alien),
    await render(open, inline),
  ];
  expect(results.map(({ body }) => body.rendered)).toEqual([
    'ALIEN',
    'A film: Al',
    'A film: Alien',
    { text: 'Alien', year: '1979' },
    'for cats',
    ['1979', 3],
    null,
  ]);
  expect(results[1]?.body.template).toBe('A film: {{doc.title}}');
});

test.each([
  [{ kind: 'documentTemplate' }, 'parameter `index_uid` missing for kind `documentTemplate`'],
  [{ ...film, fragment: 'x' }, 'parameter `fragment` disallowed for kind `documentTemplate`'],
  [{ ...film, embedder: 'wrong' }, 'cannot find embedder `wrong` in index `e`'],
  [
    { ...film, embedder: 'parts' },
    'embedder `parts` in index `e` does not use a document template.',
  ],
  [
    { kind: 'indexingFragment', indexUid: 'e', embedder: 'texts', fragment: 'x' },
    'embedder `texts` in index `e` does not use fragments.',
  ],
  [
    { kind: 'indexingFragment', indexUid: 'e', embedder: 'parts', fragment: 'bad' },
    'cannot find indexing fragment `bad` for embedder `parts` in index `e`',
  ],
  [{ kind: 'inlineDocumentTemplate', inline: 3 }, 'inline document templates must be strings'],
])('a template that cannot be had: %j', async (template, reason) => {
  const { status, body } = await render(await server(), template);
  expect(status).toBe(400);
  expect(body).toMatchObject({
    code: 'invalid_render_template',
    message: `error while fetching template: ${reason}`,
  });
});

test('inputs that cannot be had, and texts that cannot be rendered, each have their code', async () => {
  const open = await server();
  const codes = [
    await render(open, inline, { kind: 'indexDocument', indexUid: 'i', id: '9999' }),
    await render(open, inline, { kind: 'indexDocument', indexUid: 'gone', id: '1' }),
    await render(open, inline, { kind: 'inlineDocument', inline: 'no map' }),
    await render(open, inline, { kind: 'inlineSearch', inline: { q: 'x' } }),
    await render(open, { ...inline, inline: '{{doc.nothing}}' }, alien),
    await render(open, { ...inline, inline: '{{doc.title' }, alien),
  ].map(({ status, body }) => `${status} ${body.code}`);
  expect(codes).toEqual([
    '404 render_document_not_found',
    '404 index_not_found',
    '400 invalid_render_input',
    '400 invalid_render_input',
    '400 template_rendering_error',
    '400 template_parsing_error',
  ]);
});

test('fragments need their feature, and the route its own', async () => {
  const open = await server();
  await open.db.features.set({ multimodal: false });
  const refused = await render(open, { kind: 'inlineFragment', inline: 'x' });
  expect(refused.body.message).toContain('requires enabling the `multimodal` experimental feature');
  await open.db.features.set({ renderRoute: false });
  expect((await render(open, inline)).body.code).toBe('feature_not_enabled');
});

test('a key must be allowed to read both settings and documents', async () => {
  const open = await server();
  const keyWith = async (actions: string[]) => {
    const response = await open.app.inject({
      method: 'POST',
      url: '/keys',
      headers: { authorization: `Bearer ${MASTER}` },
      payload: { actions, indexes: ['*'], expiresAt: null },
    });
    return (response.json() as { key: string }).key;
  };
  const statuses = [];
  for (const actions of [['settings.get'], ['documents.get'], ['settings.get', 'documents.get']]) {
    statuses.push((await render(open, inline, alien, await keyWith(actions))).status);
  }
  expect(statuses).toEqual([403, 403, 200]);
});
