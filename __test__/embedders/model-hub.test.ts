import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Embedders } from '../../src/embedders/embedders.js';
import { ModelHub } from '../../src/embedders/model-hub.js';
import { createIpPolicy } from '../../src/outgoing/ip-policy.js';
import { createOutgoingClient } from '../../src/outgoing/outgoing-client.js';
import { dataFolder } from '../tasks/open-serval.js';
import { COMMIT, hubServer } from './hub-server.js';
import { areNear, expectedOf, fixture } from './model-folders.js';

const never = new AbortController().signal;

async function mpnet() {
  const hub = await hubServer('tiny/mpnet', fixture('mpnet'));
  const folder = dataFolder();
  const embedders = () => {
    const one = new Embedders({ localModels: { folder, hubUrl: hub.url, threads: 1 } });
    onTestFinished(() => one.close());
    return one;
  };
  const embed = (texts: readonly string[], more: object = {}, signal = never) => {
    const settings = { source: 'huggingFace', model: 'tiny/mpnet', ...more };
    return embedders().embedDocuments({ embedder: 'e', settings, texts }, signal);
  };
  /** What is left in the folder of models. */
  const kept = () => (existsSync(join(folder, '.hub')) ? readdirSync(join(folder, '.hub')) : []);
  return { hub, folder, embed, kept };
}

test('a model is downloaded once, all of its files from one commit, and used from then on', async () => {
  const { hub, folder, embed } = await mpnet();
  const expected = expectedOf('mpnet');
  for (let round = 0; round < 2; round += 1) {
    const vectors = await embed(expected.map(({ text }) => text));
    for (const [at, { vector }] of expected.entries()) {
      expect(areNear([...(vectors[at] ?? [])], vector)).toBe(true);
    }
  }
  expect(hub.asked).toEqual([
    '/tiny/mpnet/resolve/main/config.json',
    ...['tokenizer.json', 'model.safetensors'].map(
      (name) => `/tiny/mpnet/resolve/${COMMIT}/${name}`,
    ),
    '/elsewhere/model.safetensors',
    ...['modules.json', 'sentence_bert_config.json', '1_Pooling/config.json'].map(
      (name) => `/tiny/mpnet/resolve/${COMMIT}/${name}`,
    ),
  ]);
  expect(readdirSync(join(folder, '.hub', 'tiny%2Fmpnet'))).toEqual(['main']);
});

test('many that ask at once share one download', async () => {
  const hub = await hubServer('tiny/bert', fixture('bert'));
  const embedders = new Embedders({ localModels: { folder: dataFolder(), hubUrl: hub.url } });
  const settings = { source: 'huggingFace', model: 'tiny/bert' };
  const request = { embedder: 'e', settings, texts: ['space'] };
  const all = await Promise.all([1, 2, 3].map(() => embedders.embedDocuments(request, never)));
  expect(all[0]).toEqual(all[2]);
  expect(hub.asked.filter((path) => path.endsWith('tokenizer.json'))).toHaveLength(1);
});

test('an interrupted or damaged file is fetched again', async () => {
  const { hub, embed } = await mpnet();
  let faults = 0;
  hub.fault = (response, path) => {
    if (!path.startsWith('/elsewhere/') || faults === 2) return false;
    faults += 1;
    if (faults === 1) response.end('these are not the weights');
    else response.destroy();
    return true;
  };
  expect(await embed(['space'])).toHaveLength(1);
  expect(hub.asked.filter((path) => path.startsWith('/elsewhere/'))).toHaveLength(3);
});

test('what the hub does not give is an error, and nothing is left of it', async () => {
  const { hub, embed, kept } = await mpnet();
  const open = 'or is not open to everybody';
  await expect(embed(['a'], { model: 'tiny/other' })).rejects.toThrow(
    `user error: model \`tiny/other\` has no \`config.json\` at revision \`main\`, ${open}`,
  );
  await expect(embed(['a'], { revision: 'v9' })).rejects.toThrow(
    `user error: model \`tiny/mpnet\` has no \`config.json\` at revision \`v9\`, ${open}`,
  );
  for (const revision of ['..', '../main', 'a/../b', '', '/a', 'a b']) {
    await expect(embed(['a'], { revision })).rejects.toThrow(
      `user error: \`${revision}\` is no revision of a model`,
    );
  }
  hub.fault = (response, path) => {
    if (!path.endsWith('tokenizer.json')) return false;
    response.writeHead(418).end();
    return true;
  };
  await expect(embed(['a'])).rejects.toThrow(/runtime error: could not download .* answered 418/);
  expect(kept().filter((name) => name.endsWith('.part'))).toEqual([]);
  hub.fault = undefined;
  expect(await embed(['a'])).toHaveLength(1);
});

test('a download that goes while another one begins does not fail that', async () => {
  const { folder, embed } = await mpnet();
  mkdirSync(join(folder, '.hub'), { recursive: true });
  // Listed, and gone when it is looked at.
  symlinkSync('gone', join(folder, '.hub', 'other.part'));
  expect(await embed(['a'])).toHaveLength(1);
});

test('whoever stops waiting does not wait for the hub', async () => {
  const { hub, embed } = await mpnet();
  const stop = new AbortController();
  hub.fault = () => {
    stop.abort();
    return true;
  };
  await expect(embed(['a'], {}, stop.signal)).rejects.toThrow('the time for embedding is over');
});

test('closing ends a download', async () => {
  const hub = await hubServer('tiny/bert', fixture('bert'));
  const embedders = new Embedders({ localModels: { folder: dataFolder(), hubUrl: hub.url } });
  hub.fault = () => {
    embedders.close();
    return true;
  };
  const settings = { source: 'huggingFace', model: 'tiny/bert' };
  const embedding = embedders.embedDocuments({ embedder: 'e', settings, texts: ['a'] }, never);
  await expect(embedding).rejects.toThrow('could not download');
});

test('the address of the hub is held to the policy of addresses', async () => {
  const hub = await hubServer('tiny/bert', fixture('bert'));
  const client = createOutgoingClient(createIpPolicy([]));
  const send = client.fetch as unknown as typeof fetch;
  const models = new ModelHub({ models: dataFolder(), url: hub.url, fetch: send });
  await expect(models.folderOf('tiny/bert', 'main', never)).rejects.toThrow('Rejected IP');
  expect(hub.asked).toEqual([]);
  await client.close();
});
