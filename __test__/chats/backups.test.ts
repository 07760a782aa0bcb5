import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Serval } from '../../src/serval.js';
import { dataFolder } from '../tasks/open-serval.js';

test.each(['dump', 'snapshot'] as const)(
  'workspaces and their keys are in a %s, and the chat settings of indexes',
  async (kind) => {
    const path = dataFolder();
    const folder = join(path, '..', 'backups');
    const first = await Serval.open(path, { dumpFolder: folder, snapshotFolder: folder });
    await first.features.set({ chatCompletions: true });
    await first.chats.change('w', { apiKey: 'secret-key', prompts: { system: 'Be short.' } });
    await first.chats.change('v', { source: 'vLlm', baseUrl: 'http://model' });
    const chat = { description: 'Films', searchParameters: { limit: 3 } };
    await (await first.index('films').updateSettings({ chat })).wait();
    const before = ['v', 'w'].map((uid) => first.chats.get(uid));
    await (await (kind === 'dump' ? first.createDump() : first.createSnapshot())).wait();
    await first.close();

    const [file = ''] = readdirSync(folder);
    const importFrom = {
      kind,
      path: join(folder, file),
      ignoreMissing: false,
      ignoreIfDataExists: false,
    };
    const second = await Serval.open(dataFolder(), { importFrom });
    onTestFinished(() => second.close());
    expect(second.chats.uids()).toEqual(['v', 'w']);
    expect(['v', 'w'].map((uid) => second.chats.get(uid))).toEqual(before);
    expect((await second.index('films').settings()).chat).toMatchObject(chat);
  },
);
