import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type FastifyInstance, fastify, type RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { ACTIONS, type KeyAction, OTHER_CHAT_ACTION } from '../../src/auth/actions.js';
import { ApiKeys } from '../../src/auth/api-keys.js';
import { Authorizer } from '../../src/auth/authorize.js';
import { recogniseShapes } from '../../src/http/api-shape.js';
import { authenticate } from '../../src/http/authenticate.js';
import { createServer } from '../../src/http/create-server.js';
import { EarlierKeys } from '../../src/http/earlier-keys.js';
import { handleErrors } from '../../src/http/error-handler.js';
import { type AnyRoute, addRoutes } from '../../src/http/route.js';
import { allRoutes } from '../../src/http/routes/all-routes.js';
import { SearchQueue } from '../../src/http/search-queue.js';
import { Logs } from '../../src/logs/logs.js';
import { fakeServices } from './fake-services.js';
import { ALSO_ASKED_BY, ALSO_OPENED_BY, OPEN, openedBy, ROUTE_ACTIONS } from './route-actions.js';

const MASTER = 'a master key';
const EVERY_ACTION: readonly KeyAction[] = [...ACTIONS, OTHER_CHAT_ACTION];
const services = fakeServices().services;
const routes = allRoutes(services, new SearchQueue({ running: 1, waiting: 1 }), 1000);
const named = routes.map((one): [name: string, route: AnyRoute] => [
  `${one.method} ${one.path.replace(/:\w+/g, '{}')}`,
  one,
]);

let app: FastifyInstance;
let keys: ApiKeys;
const keyFor = new Map<KeyAction, string>();

/** Every route of the server as it is assembled, pages included, as the framework was told of it. */
async function registeredRoutes(): Promise<RouteOptions[]> {
  const registered: RouteOptions[] = [];
  const listen = (message: unknown): void => {
    const { fastify: created } = message as { fastify: FastifyInstance };
    created.addHook('onRoute', (one) => {
      registered.push(one);
    });
  };
  subscribe('fastify.initialization', listen);
  try {
    const server = await createServer(services, {
      masterKey: MASTER,
      payloadSizeLimit: 1000,
      pageFolder: inRoot('dist', 'page'),
    });
    await server.close();
  } finally {
    unsubscribe('fastify.initialization', listen);
  }
  return registered;
}

/** All routes behind the real authentication, but none does anything. */
beforeAll(async () => {
  const apiKeys = new ApiKeys(MASTER, services.keys);
  keys = apiKeys;
  const ring = new Authorizer(MASTER, apiKeys);
  app = fastify();
  handleErrors(app, Logs.silent());
  recogniseShapes(app, 'current');
  authenticate(app, { ring, apiKeys, earlier: new EarlierKeys(MASTER) });
  app.removeAllContentTypeParsers();
  const idle = routes.map(({ method, path, actions, alsoActions }): AnyRoute => {
    const asked = {
      ...(actions === undefined ? {} : { actions }),
      ...(alsoActions === undefined ? {} : { alsoActions }),
    };
    return { method, path, ...asked, handle: () => ({ opened: true }) };
  });
  addRoutes(app, idle, 1000);
  for (const [at, action] of EVERY_ACTION.entries()) {
    const uid = `5e1f0c2a-7b3d-4e6f-8a9b-0c1d2e3f40${String(at).padStart(2, '0')}`;
    const texts = { uid, name: null, description: null, expiresAt: null };
    const { key } = await apiKeys.create({ ...texts, actions: [action], indexes: ['*'] });
    keyFor.set(action, key);
  }
});
afterAll(() => app.close());

async function call({ method, path }: AnyRoute, authorization?: string) {
  const response = await app.inject({
    method: String(method) as 'GET',
    url: path.replace(/:\w+/g, '7'),
    headers: authorization === undefined ? {} : { authorization },
  });
  return response.statusCode === 200 ? OPEN : (response.json() as { code: string }).code;
}

async function actionsThatOpen(route: AnyRoute): Promise<KeyAction[]> {
  const opening: KeyAction[] = [];
  for (const action of EVERY_ACTION) {
    const outcome = await call(route, `Bearer ${keyFor.get(action)}`);
    if (outcome === OPEN) opening.push(action);
    else expect(outcome).toBe('invalid_api_key');
  }
  return opening;
}

describe.each(named)('%s', (name, route) => {
  const asked = ROUTE_ACTIONS.get(name);
  const also = ALSO_ASKED_BY.get(name);

  test('is a documented route', () => {
    expect(asked).toBeDefined();
  });

  test('opens to the keys it asks for and to no other', async () => {
    const opening = await actionsThatOpen(route);
    const expected: readonly KeyAction[] =
      asked === undefined || asked === OPEN
        ? EVERY_ACTION
        : [...openedBy(asked), ...(ALSO_OPENED_BY.get(name) ?? [])].filter(
            (action) => also === undefined || openedBy(also).includes(action),
          );
    expect(opening.toSorted()).toEqual([...new Set(expected)].sort());
  });

  test('without a key, or with a wrong one, opens only if everyone may call it', async () => {
    const open = asked === OPEN;
    expect(await call(route)).toBe(open ? OPEN : 'missing_authorization_header');
    for (const wrong of ['Bearer', 'Bearer ', 'Bearer wrong', `Bearer ${MASTER}x`]) {
      expect(await call(route, wrong)).toBe(open ? OPEN : 'invalid_api_key');
    }
  });
});

test('the server has no route but the documented ones, and each asks for what is documented', async () => {
  const registered = await registeredRoutes();
  // HEAD comes with GET and asks for the same; OPTIONS is answered to browsers before they ask.
  const own = registered.filter(
    ({ method, config }) =>
      method !== 'HEAD' && method !== 'OPTIONS' && config?.isWrongMethod !== true,
  );
  const undocumented = own.filter(({ method, url, config }) => {
    const asked = ROUTE_ACTIONS.get(`${method} ${url.replace(/:\w+/g, '{}')}`);
    return asked === OPEN
      ? config?.actions !== undefined
      : asked === undefined || !config?.actions?.includes(asked);
  });
  expect(undocumented.map(({ method, url }) => `${method} ${url}`)).toEqual([]);
  expect(own.length).toBeGreaterThan(routes.length);
  const heads = registered.filter(({ method }) => method === 'HEAD');
  for (const head of heads) {
    const get = own.find(({ method, url }) => method === 'GET' && url === head.url);
    expect([head.url, head.config?.actions]).toEqual([head.url, get?.config?.actions]);
  }
  expect(heads.length).toBeGreaterThan(0);
});

test('a key that may both read settings and read documents renders templates, with one of them it does not', async () => {
  const route = routes.find(({ path }) => path === '/render-template') as AnyRoute;
  for (const [actions, outcome] of [
    [['settings.get', 'documents.get'], OPEN],
    [['settings.get'], 'invalid_api_key'],
    [['documents.get'], 'invalid_api_key'],
  ] as const) {
    const texts = { name: null, description: null, expiresAt: null };
    const uid = randomUUID();
    const { key } = await keys.create({ ...texts, uid, actions: [...actions], indexes: ['*'] });
    expect(await call(route, `Bearer ${key}`)).toBe(outcome);
  }
});
