import { expect } from 'vitest';
import type { MethodCheck, Stage } from './method-check.js';

const REMOTE = { url: 'http://127.0.0.1:9', searchApiKey: 'key' };
const WEBHOOK = { url: 'http://127.0.0.1:9/', headers: { Authorization: 'Bearer secret-header' } };
const WORKSPACE = 'films';

/** Networks with a leader are of another edition: what asks for one is refused so. */
const ENTERPRISE = { cause: { code: 'requires_enterprise_edition' } };

async function newWebhook({ client }: Stage): Promise<string> {
  return (await client.createWebhook(WEBHOOK)).uuid;
}

async function newRule({ client, index }: Stage, uid: string): Promise<void> {
  const action = { type: 'pin', position: 0 } as const;
  const actions = [{ selector: { indexUid: index.uid, id: '3' }, action }];
  await client.updateDynamicSearchRule(uid, { actions }).waitTask();
}

async function newWorkspace({ client, chatService }: Stage) {
  const chat = client.chat(WORKSPACE);
  await chat.update({ source: 'openAi', apiKey: 'secret-chat-key', baseUrl: chatService });
  return chat;
}

/** A check of every method that belongs to an optional feature, and of webhooks. */
export const FEATURE_METHODS: Readonly<Record<string, MethodCheck>> = {
  getNetwork: async ({ client }) => {
    expect(await client.getNetwork()).toMatchObject({ leader: null });
  },
  updateNetwork: async ({ client }) => {
    const changed = await client.updateNetwork({ self: 'a', remotes: { a: REMOTE } });
    expect(changed).toMatchObject({ self: 'a', remotes: { a: REMOTE } });
  },
  initializeNetwork: async ({ client }) => {
    const shards: Record<string, { remotes: [string] }> = { s: { remotes: ['a'] } };
    const change = client.initializeNetwork({ self: 'a', remotes: { a: REMOTE }, shards });
    await expect(change).rejects.toMatchObject(ENTERPRISE);
  },
  addRemote: async ({ client }) => {
    await client.addRemote({ name: 'added', remote: REMOTE });
    expect((await client.getNetwork()).remotes).toMatchObject({ added: REMOTE });
  },
  removeRemote: async ({ client }) => {
    await client.addRemote({ name: 'gone', remote: REMOTE });
    await client.removeRemote({ name: 'gone' });
    expect((await client.getNetwork()).remotes).not.toHaveProperty('gone');
  },
  addRemotesToShard: async ({ client }) => {
    await client.addRemotesToShard('new', ['x', 'y']);
    expect((await client.getNetwork()).shards).toMatchObject({ new: { remotes: ['x', 'y'] } });
  },
  removeRemotesFromShard: async ({ client }) => {
    await client.addRemotesToShard('less', ['x', 'y']);
    await client.removeRemotesFromShard('less', ['x']);
    expect((await client.getNetwork()).shards).toMatchObject({ less: { remotes: ['y'] } });
  },
  getWebhooks: async (stage) => {
    const uuid = await newWebhook(stage);
    const { results } = await stage.client.getWebhooks();
    expect(results.map((webhook) => webhook.uuid)).toContain(uuid);
  },
  getWebhook: async (stage) => {
    const uuid = await newWebhook(stage);
    const webhook = await stage.client.getWebhook(uuid);
    expect(webhook).toMatchObject({ url: WEBHOOK.url, isEditable: true });
    expect(JSON.stringify(webhook)).not.toContain('secret-header');
  },
  createWebhook: async ({ client }) => {
    expect((await client.createWebhook(WEBHOOK)).uuid).toMatch(/^[0-9a-f-]{36}$/);
  },
  updateWebhook: async (stage) => {
    const uuid = await newWebhook(stage);
    const changed = await stage.client.updateWebhook(uuid, { url: 'http://127.0.0.1:9/new' });
    expect(changed.url).toBe('http://127.0.0.1:9/new');
  },
  deleteWebhook: async (stage) => {
    const uuid = await newWebhook(stage);
    await stage.client.deleteWebhook(uuid);
    await expect(stage.client.getWebhook(uuid)).rejects.toThrow(/not found/);
  },
  getDynamicSearchRules: async (stage) => {
    await newRule(stage, 'listed');
    const { results } = await stage.client.getDynamicSearchRules({ limit: 100 });
    expect(results.map(({ uid }) => uid)).toContain('listed');
  },
  getDynamicSearchRule: async (stage) => {
    await newRule(stage, 'read');
    expect(await stage.client.getDynamicSearchRule('read')).toMatchObject({ active: true });
  },
  updateDynamicSearchRule: async (stage) => {
    await newRule(stage, 'applied');
    expect((await stage.index.search('alien')).hits[0]).toMatchObject({ id: 3 });
  },
  deleteDynamicSearchRule: async (stage) => {
    await newRule(stage, 'gone');
    await stage.client.deleteDynamicSearchRule('gone').waitTask();
    await expect(stage.client.getDynamicSearchRule('gone')).rejects.toThrow(/not found/);
  },
  deleteAllDynamicSearchRules: async (stage) => {
    await newRule(stage, 'all');
    await stage.client.deleteAllDynamicSearchRules().waitTask();
    expect((await stage.client.getDynamicSearchRules()).results).toEqual([]);
  },
  renderTemplate: async ({ client }) => {
    const rendered = await client.renderTemplate({
      template: { kind: 'inlineDocumentTemplate', inline: 'A film: {{ doc.title }}' },
      input: { kind: 'inlineDocument', inline: { title: 'Alien' } },
    });
    expect(rendered.rendered).toBe('A film: Alien');
  },
  chat: async (stage) => {
    const chat = await newWorkspace(stage);
    expect(JSON.stringify(await chat.get())).not.toContain('secret-chat-key');
  },
  getChatWorkspaces: async (stage) => {
    await newWorkspace(stage);
    expect((await stage.client.getChatWorkspaces()).results).toEqual([{ uid: WORKSPACE }]);
  },
  getChatWorkspace: async (stage) => {
    await newWorkspace(stage);
    expect(await stage.client.getChatWorkspace(WORKSPACE)).toEqual({ uid: WORKSPACE });
  },
  deleteChatWorkspace: async (stage) => {
    await newWorkspace(stage);
    await stage.client.deleteChatWorkspace(WORKSPACE);
    await expect(stage.client.getChatWorkspace(WORKSPACE)).rejects.toThrow(/not found/);
  },
};

/** A check of every method of a chat. */
export const CHAT_METHODS: Readonly<Record<string, MethodCheck>> = {
  get: async (stage) => {
    expect(await (await newWorkspace(stage)).get()).toMatchObject({ source: 'openAi' });
  },
  update: async (stage) => {
    const chat = await newWorkspace(stage);
    const changed = await chat.update({ prompts: { system: 'Be short.' } });
    expect(changed.prompts?.system).toBe('Be short.');
  },
  reset: async (stage) => {
    const chat = await newWorkspace(stage);
    await chat.update({ prompts: { system: 'Be short.' } });
    await chat.reset();
    expect((await chat.get()).prompts?.system).not.toBe('Be short.');
  },
  streamCompletion: async (stage) => {
    const chat = await newWorkspace(stage);
    const messages = [{ role: 'user' as const, content: 'Which film?' }];
    const stream = await chat.streamCompletion({ model: 'any', messages, stream: true });
    expect(await new Response(stream).text()).toContain('Alien');
  },
};
