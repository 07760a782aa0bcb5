import { existsSync, readdirSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ModelHub } from '../../src/embedders/model-hub.js';
import type { OutgoingOptions } from '../../src/outgoing/outgoing-client.js';
import { Personalizer } from '../../src/personalization/personalizer.js';
import { doublingPauses } from '../../src/waiting/with-retries.js';
import { COMMIT, hubServer } from '../embedders/hub-server.js';
import { fixture } from '../embedders/model-folders.js';
import { dataFolder } from '../tasks/open-serval.js';
import { client, listen, lookupOf, ok } from './loopback.js';

const never = new AbortController().signal;
const MODEL = 'tiny/bert';
const REJECTED = 'Rejected IP';
const PAGE = Buffer.from('{"hits":[{"id":1},{"id":2}],"query":"x"}');

/** What the services are called with: 127.0.0.1 is allowed, and no other address. */
const calls = (options?: OutgoingOptions) =>
  client(['127.0.0.1/32'], options).fetch as unknown as typeof fetch;

function hub(url: string, options?: OutgoingOptions) {
  const models = dataFolder();
  const download = new ModelHub({ models, url, fetch: calls(options) });
  const kept = () => {
    const folder = join(models, '.hub');
    return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  };
  return { folder: () => download.folderOf(MODEL, 'main', never), kept };
}

const personalizer = (url: string, options?: OutgoingOptions) =>
  new Personalizer({ apiKey: 'k', url, fetch: calls(options), pauses: doublingPauses(0, 10) });

const taste = { userContext: 'trains', leftMs: 60_000 };

/** Who is redirected keeps method and body with 307 and 308. */
const redirect =
  (status: number, location: string): RequestListener =>
  (request, response) => {
    request.resume();
    response.writeHead(status, { location }).end();
  };

const STATUSES = [301, 302, 303, 307, 308];

test.each(STATUSES)(
  'the hub of models leads nowhere that is not allowed, by %i',
  async (status) => {
    const secret = await listen(ok, '127.0.0.2');
    const location = `http://127.0.0.2:${secret.port}/secret`;
    const open = await listen(redirect(status, location));
    const { folder, kept } = hub(`http://127.0.0.1:${open.port}`);
    await expect(folder()).rejects.toThrow(REJECTED);
    expect(open.seen[0]).toBe(`/${MODEL}/resolve/main/config.json`);
    expect(secret.connections()).toBe(0);
    expect(kept().filter((path) => path.endsWith('.json'))).toEqual([]);
  },
);

test('the place of the weights, which the hub names, is held to the same', async () => {
  const secret = await listen(ok, '127.0.0.2');
  const server = await hubServer(MODEL, fixture('bert'));
  server.fault = (response, path) => {
    if (!path.endsWith('.safetensors')) return false;
    const location = `http://127.0.0.2:${secret.port}/weights`;
    response.writeHead(302, { location, 'x-repo-commit': COMMIT }).end();
    return true;
  };
  const { folder, kept } = hub(server.url);
  await expect(folder()).rejects.toThrow(REJECTED);
  expect(secret.connections()).toBe(0);
  expect(kept().filter((path) => path.endsWith('.safetensors'))).toEqual([]);
});

test.each([['127.0.0.2'], ['::1'], ['::ffff:127.0.0.2'], ['169.254.169.254']])(
  'a hub whose name has only the address %s is not called',
  async (address) => {
    const secret = await listen(ok, '127.0.0.2');
    const lookup = lookupOf([address]);
    const { folder } = hub(`http://hub.test:${secret.port}`, { lookup });
    await expect(folder()).rejects.toThrow(REJECTED);
    expect(secret.connections()).toBe(0);
  },
);

test('a hub whose name turns to another address during a download is not followed there', async () => {
  const secret = await listen(ok, '127.0.0.2');
  const server = await hubServer(MODEL, fixture('bert'));
  const { port } = new URL(server.url);
  // Each file is asked for over a connection of its own.
  server.fault = (response) => {
    response.setHeader('connection', 'close');
    return false;
  };
  const lookup = lookupOf(['127.0.0.1'], ['127.0.0.2']);
  const { folder } = hub(`http://hub.test:${port}`, { lookup, connectionsPerOrigin: 1 });
  await expect(folder()).rejects.toThrow(REJECTED);
  expect(server.asked[0]).toBe(`/${MODEL}/resolve/main/config.json`);
  expect(secret.connections()).toBe(0);
});

test.each(STATUSES)(
  'the service that orders hits is not followed anywhere, by %i, not even where it may be called',
  async (status) => {
    const secret = await listen(ok, '127.0.0.2');
    const other = await listen(ok);
    for (const location of [
      `http://127.0.0.2:${secret.port}/secret`,
      `http://127.0.0.1:${other.port}/elsewhere`,
    ]) {
      const open = await listen(redirect(status, location));
      const answer = personalizer(`http://127.0.0.1:${open.port}/rerank`).personalize(PAGE, taste);
      await expect(answer).rejects.toMatchObject({ code: 'remote_could_not_send_request' });
      expect(open.seen[0]).toBe('/rerank');
    }
    expect([secret.connections(), other.connections()]).toEqual([0, 0]);
  },
);

test.each([['127.0.0.2'], ['::1'], ['::ffff:127.0.0.2'], ['169.254.169.254']])(
  'the service that orders hits is not called when its name has only the address %s',
  async (address) => {
    const secret = await listen(ok, '127.0.0.2');
    const lookup = lookupOf([address]);
    const service = personalizer(`http://taste.test:${secret.port}/rerank`, { lookup });
    await expect(service.personalize(PAGE, taste)).rejects.toThrow(REJECTED);
    expect(secret.connections()).toBe(0);
  },
);

test('the service that orders hits is not followed when its name turns to another address', async () => {
  const secret = await listen(ok, '127.0.0.2');
  const open = await listen((request, response) => {
    request.resume();
    response.setHeader('connection', 'close');
    response.end('{"results":[{"index":1},{"index":0}]}');
  });
  const lookup = lookupOf(['127.0.0.1'], ['127.0.0.2']);
  const service = personalizer(`http://taste.test:${open.port}/rerank`, { lookup });
  const first = await service.personalize(PAGE, taste);
  expect(JSON.parse(first.toString()).hits).toEqual([{ id: 2 }, { id: 1 }]);
  await expect(service.personalize(PAGE, taste)).rejects.toThrow(REJECTED);
  expect(secret.connections()).toBe(0);
});
