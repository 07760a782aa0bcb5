import { expect, test } from 'vitest';
import { DEFAULT_PROMPTS } from '../../src/chats/prompts.js';
import { maskSecret } from '../../src/settings/mask-secret.js';
import { chatServer } from './chat-server.js';

const DEFAULTS = {
  source: 'openAi',
  orgId: null,
  projectId: null,
  apiVersion: null,
  deploymentId: null,
  baseUrl: null,
  apiKey: null,
  prompts: DEFAULT_PROMPTS,
};

test('a workspace is there once its settings were changed, until it is deleted', async () => {
  const { call, on } = await chatServer();
  await on();
  const missing = { status: 404, body: { code: 'chat_not_found', message: 'chat w not found' } };
  expect(await call('GET', '/chats/w')).toMatchObject(missing);
  expect(await call('DELETE', '/chats/w')).toMatchObject(missing);
  for (const method of ['GET', 'DELETE']) {
    const { status, body } = await call(method, '/chats/w/settings');
    expect([status, body.code, body.message]).toEqual([
      404,
      'chat_not_found',
      'Chat `w` not found',
    ]);
  }
  const made = await call('PATCH', '/chats/w/settings', {});
  expect(made).toEqual({ status: 200, body: DEFAULTS });
  expect(Object.keys(made.body)).toEqual(Object.keys(DEFAULTS));
  await call('PATCH', '/chats/a/settings', {});
  expect((await call('GET', '/chats')).body).toEqual({
    results: [{ uid: 'a' }, { uid: 'w' }],
    offset: 0,
    limit: 20,
    total: 2,
  });
  expect((await call('GET', '/chats?offset=1&limit=5')).body.results).toEqual([{ uid: 'w' }]);
  expect((await call('GET', '/chats/w')).body).toEqual({ uid: 'w' });
  expect(await call('DELETE', '/chats/w')).toEqual({ status: 204, body: undefined });
  expect((await call('GET', '/chats')).body.total).toBe(1);
});

test('settings merge by field and by prompt, null resets, and a reset leaves the workspace', async () => {
  const { call, on } = await chatServer();
  await on();
  const change = (body: object) => call('PATCH', '/chats/w/settings', body);
  await change({ orgId: 'o', prompts: { system: 'Be short.', searchQParam: 'Words.' } });
  const { body } = await change({ projectId: 'p', prompts: { searchQParam: null } });
  expect(body).toEqual({
    ...DEFAULTS,
    orgId: 'o',
    projectId: 'p',
    prompts: { ...DEFAULT_PROMPTS, system: 'Be short.' },
  });
  expect((await change({ orgId: null, prompts: null })).body).toEqual({
    ...DEFAULTS,
    projectId: 'p',
  });
  expect(await call('DELETE', '/chats/w/settings')).toEqual({ status: 200, body: DEFAULTS });
  expect((await call('GET', '/chats/w/settings')).body).toEqual(DEFAULTS);
});

test('a key is never shown, and its masked form sent back does not replace it', async () => {
  const { call, on, db } = await chatServer();
  await on();
  const secret = 'sk-a-secret-of-some-length-0123456789';
  const answers = [
    await call('PATCH', '/chats/w/settings', { apiKey: secret }),
    await call('GET', '/chats/w/settings'),
    await call('PATCH', '/chats/w/settings', { apiKey: maskSecret(secret) }),
    await call('PATCH', '/chats/w/settings', { orgId: 'o' }),
  ];
  expect(answers.map(({ body }) => body.apiKey)).toEqual(answers.map(() => 'sk-a-XXXXXX...'));
  expect(db.chats.get('w')?.apiKey).toBe(secret);
  expect((await call('DELETE', '/chats/w/settings')).body.apiKey).toBeNull();
});

test('values of the wrong kind are refused with the code of their field', async () => {
  const { call, on } = await chatServer();
  await on();
  const codes = {
    source: 'source',
    orgId: 'org_id',
    projectId: 'project_id',
    apiVersion: 'api_version',
    deploymentId: 'deployment_id',
    baseUrl: 'base_api',
    apiKey: 'api_key',
    prompts: 'prompts',
  };
  for (const [field, code] of Object.entries(codes)) {
    const { status, body } = await call('PATCH', '/chats/w/settings', { [field]: 7 });
    expect([status, body.code]).toEqual([400, `invalid_chat_completion_${code}`]);
  }
  const prompts = {
    system: 'system',
    searchDescription: 'search_description',
    searchQParam: 'search_query_param',
    searchFilterParam: 'search_filter_param',
    searchIndexUidParam: 'search_index_uid_param',
  };
  for (const [field, code] of Object.entries(prompts)) {
    const { body } = await call('PATCH', '/chats/w/settings', { prompts: { [field]: 7 } });
    expect(body.code).toBe(`invalid_chat_completion_${code}_prompt`);
  }
  const unknown = await call('PATCH', '/chats/w/settings', { source: 'x' });
  expect(unknown.body.message).toBe(
    'Unknown value `x` at `.source`: expected one of `openAi`, `azureOpenAi`, `mistral`, `vLlm`',
  );
  expect((await call('PATCH', '/chats/w/settings', { colour: 1 })).body.code).toBe('bad_request');
  expect((await call('GET', '/chats/w')).status).toBe(404);
});

test('a provider that needs more than was set is refused, and nothing changes', async () => {
  const { call, on } = await chatServer();
  await on();
  const azure = await call('PATCH', '/chats/w/settings', { source: 'azureOpenAi', baseUrl: 'x' });
  expect([azure.status, azure.body.code, azure.body.message]).toEqual([
    400,
    'bad_request',
    'azureOpenAi requires setting a valid `baseUrl`, `deploymentId`, and `apiVersion`',
  ]);
  const vllm = await call('PATCH', '/chats/w/settings', { source: 'vLlm' });
  expect(vllm.body.message).toBe('vLlm requires setting a valid `baseUrl`');
  expect((await call('GET', '/chats/w')).status).toBe(404);
});

test('names that no workspace can have, and pages that are none, are refused', async () => {
  const { call, on } = await chatServer();
  await on();
  const named = await call('PATCH', '/chats/a%20b/settings', {});
  expect([named.status, named.body.code]).toEqual([400, 'invalid_index_uid']);
  expect((await call('GET', '/chats?offset=x')).body.code).toBe('invalid_index_offset');
  expect((await call('GET', '/chats?limit=-1')).body.code).toBe('invalid_index_limit');
});

test('everything is refused while the feature is off', async () => {
  const { call } = await chatServer();
  const completion = { model: 'm', messages: [] };
  const asked: [string, string, string, unknown?][] = [
    ['GET', '/chats', 'listing the chats'],
    ['GET', '/chats/w', 'displaying a chat'],
    ['DELETE', '/chats/w', 'deleting a chat'],
    ['GET', '/chats/w/settings', 'using the /chats/settings route'],
    ['PATCH', '/chats/w/settings', 'using the /chats/settings route', {}],
    ['DELETE', '/chats/w/settings', 'using the /chats/settings route'],
    ['POST', '/chats/w/chat/completions', 'using the /chats chat completions route', completion],
  ];
  for (const [method, path, action, body] of asked) {
    const answer = await call(method, path, body);
    expect(answer.body.code).toBe('feature_not_enabled');
    expect(answer.body.message).toMatch(
      `${action} requires enabling the \`chat completions\` experimental feature. See `,
    );
  }
});

test('workspaces outlive a restart, with their keys', async () => {
  const first = await chatServer();
  await first.on();
  await first.call('PATCH', '/chats/w/settings', { apiKey: 'secret-key', orgId: 'o' });
  await first.call('PATCH', '/chats/gone/settings', {});
  await first.call('DELETE', '/chats/gone');
  await first.close();
  const second = await chatServer(first.path);
  expect(second.db.chats.uids()).toEqual(['w']);
  expect(second.db.chats.get('w')).toEqual({ ...DEFAULTS, apiKey: 'secret-key', orgId: 'o' });
});

test('stored settings that cannot be read are as if unset', async () => {
  const first = await chatServer();
  await first.db.store.putRecord('chats', 'w', { source: 'x', orgId: 7, baseUrl: 'http://b' });
  await first.close();
  const second = await chatServer(first.path);
  expect(second.db.chats.get('w')).toEqual({ ...DEFAULTS, baseUrl: 'http://b' });
});
