import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { expectedOf, install } from '../embedders/model-folders.js';
import { loopbackService } from '../loopback-service.js';
import { newFolder, type Server, start } from './servers.js';
import { ask, ended, write } from './talk.js';

const MINUTE_MS = 60_000;

interface Steps {
  readonly results: {
    readonly progress: { readonly steps: { readonly currentStep: string }[] } | null;
  }[];
}

/** Waits until the running batch is at a step. */
async function atStep({ url }: Server, wanted: string): Promise<void> {
  for (;;) {
    const { results } = await ask<Steps>(`${url}/batches?statuses=processing`);
    const steps = results[0]?.progress?.steps ?? [];
    if (steps.some(({ currentStep }) => currentStep === wanted)) return;
    await delay(5);
  }
}

/** Adds documents, cancels that while they are embedded; nothing of them must stay. */
async function canceledWhileEmbedding(server: Server, documents: object[]): Promise<void> {
  const path = `${server.url}/indexes/notes/documents`;
  const { taskUid } = await ask<{ taskUid: number }>(path, 'POST', documents);
  await atStep(server, 'extracting embeddings');
  const canceling = await write(server.url, 'POST', `/tasks/cancel?uids=${taskUid}`);
  expect(canceling.details).toMatchObject({ canceledTasks: 1 });
  expect(await ended(server.url, taskUid)).toMatchObject({ status: 'canceled' });
  expect(await ask(path)).toMatchObject({ total: 0 });
  const plain = [{ id: 1, text: 'kept', _vectors: { maker: null } }];
  expect(await write(server.url, 'POST', '/indexes/notes/documents', plain)).toMatchObject({
    status: 'succeeded',
  });
}

const settings = (embedder: object) => ({
  embedders: { maker: { documentTemplate: '{{doc.text}}', ...embedder } },
});

test('a batch that waits for a service of vectors can be canceled, and lets the service go', {
  timeout: MINUTE_MS,
}, async () => {
  let open = 0;
  const service = await loopbackService((request, response) => {
    open += 1;
    request.resume();
    response.once('close', () => {
      open -= 1;
    });
  });
  const url = `${service}/api/embed`;
  const server = await start(await newFolder(), '--experimental-allowed-ip-networks', 'any');
  const embedder = { source: 'ollama', model: 'm', url, dimensions: 2 };
  await write(server.url, 'PATCH', '/indexes/notes/settings', settings(embedder));
  const documents = Array.from({ length: 50 }, (_, id) => ({ id, text: `note ${id}` }));
  await canceledWhileEmbedding(server, documents);
  while (open > 0) await delay(5);
});

test('a batch that embeds with a model of its own can be canceled', {
  timeout: MINUTE_MS,
}, async () => {
  const folder = await newFolder();
  install('bert', join(folder, 'data.sv', 'models', 'tiny', 'bert'));
  const server = await start(folder);
  const embedder = { source: 'huggingFace', model: 'tiny/bert' };
  await write(server.url, 'PATCH', '/indexes/notes/settings', settings(embedder));
  const texts = expectedOf('bert').map(({ text }) => text);
  const documents = Array.from({ length: 50_000 }, (_, id) => ({
    id,
    text: `${id} ${texts[id % texts.length]}`.repeat(5),
  }));
  await canceledWhileEmbedding(server, documents);
});
