import { expect, test } from 'vitest';
import { chatServer, FILMS } from './chat-server.js';

const DEFAULT_TEMPLATE =
  '{% for field in fields %}{% if field.is_searchable and field.value != nil %}{{ field.name }}: {{ field.value }}\n{% endif %}{% endfor %}';
const DEFAULTS = {
  description: '',
  documentTemplate: DEFAULT_TEMPLATE,
  documentTemplateMaxBytes: 400,
  searchParameters: {},
};

async function withFilms() {
  const server = await chatServer();
  await server.write('POST', '/indexes/films/documents', FILMS);
  const change = (chat: unknown) => server.call('PATCH', '/indexes/films/settings/chat', chat);
  const shown = async () => (await server.call('GET', '/indexes/films/settings/chat')).body;
  const ended = async (chat: unknown) => server.db.tasks.waitFor((await change(chat)).body.taskUid);
  return { ...server, change, shown, ended };
}

test('the setting has defaults, and is among all settings only with the feature', async () => {
  const { call, on, change, shown } = await withFilms();
  const all = async () => (await call('GET', '/indexes/films/settings')).body;
  expect(await shown()).toEqual(DEFAULTS);
  expect(await all()).not.toHaveProperty('chat');
  expect((await change({ description: 'x' })).body.code).toBe('feature_not_enabled');
  await on();
  const settings = await all();
  expect(settings.chat).toEqual(DEFAULTS);
  expect(Object.keys(settings).at(-1)).toBe('chat');
});

test('it merges by field and by search parameter, null resets', async () => {
  const { on, ended, shown } = await withFilms();
  await on();
  await ended({ description: 'Films', searchParameters: { limit: 5, sort: ['id:asc'] } });
  await ended({ searchParameters: { limit: null, distinct: 'title' } });
  const searchParameters = { sort: ['id:asc'], distinct: 'title' };
  expect(await shown()).toEqual({ ...DEFAULTS, description: 'Films', searchParameters });
  await ended({ searchParameters: null });
  expect(await shown()).toEqual({ ...DEFAULTS, description: 'Films' });
  await ended(null);
  expect(await shown()).toEqual(DEFAULTS);
});

test('a semantic ratio that is left out is told by its default, in the task as in the settings', async () => {
  const { on, ended, shown } = await withFilms();
  await on();
  const searchParameters = { hybrid: { semanticRatio: 0.5, embedder: 'e' } };
  const { details } = await ended({ searchParameters: { hybrid: { embedder: 'e' } } });
  expect(details).toEqual({ chat: { searchParameters } });
  expect(await shown()).toEqual({ ...DEFAULTS, searchParameters });
});

test('a template that cannot be read or is cut to nothing fails the task, and nothing changes', async () => {
  const { on, ended, shown } = await withFilms();
  await on();
  const broken = await ended({ description: 'x', documentTemplate: '{{ doc.title' });
  expect(broken.status).toBe('failed');
  expect(broken.error?.code).toBe('invalid_chat_setting_document_template');
  expect(broken.error?.message).toMatch(
    /^Index `films`: `\.chat\.documentTemplate`: Invalid document template: .*\.$/s,
  );
  const empty = await ended({ description: 'x', documentTemplateMaxBytes: 0 });
  expect(empty.error?.message).toBe(
    'Index `films`: `.chat.documentTemplateMaxBytes`: `documentTemplateMaxBytes` cannot be zero',
  );
  expect(await shown()).toEqual(DEFAULTS);
});

test('the template of an index is rendered on request, cut where the index says', async () => {
  const { call, on, ended } = await withFilms();
  await on();
  await call('PATCH', '/experimental-features', { renderRoute: true });
  const template = { kind: 'chatDocumentTemplate', indexUid: 'films' };
  const input = { kind: 'indexDocument', indexUid: 'films', id: '1' };
  const render = async (more: object = {}) =>
    (await call('POST', '/render-template', { template: { ...template, ...more }, input })).body;
  expect(await render()).toEqual({
    template: DEFAULT_TEMPLATE,
    rendered: 'genre: Horror\nid: 1\nowner: ada\ntitle: Alien\n',
  });
  await ended({ documentTemplate: '{{ doc.title }}!', documentTemplateMaxBytes: 3 });
  expect(await render()).toEqual({ template: '{{ doc.title }}!', rendered: 'Ali' });
  expect((await render({ documentTemplateMaxBytes: 100 })).rendered).toBe('Alien!');
  await call('PATCH', '/experimental-features', { chatCompletions: false });
  expect((await render()).code).toBe('feature_not_enabled');
});
