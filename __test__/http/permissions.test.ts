import { type FastifyInstance, fastify } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACTIONS, type KeyAction, OTHER_CHAT_ACTION } from '../../src/auth/actions.js';
import { ApiKeys } from '../../src/auth/api-keys.js';
import { Authorizer } from '../../src/auth/authorize.js';
import { recogniseShapes } from '../../src/http/api-shape.js';
import { authenticate } from '../../src/http/authenticate.js';
import { EarlierKeys } from '../../src/http/earlier-keys.js';
import { handleErrors } from '../../src/http/error-handler.js';
import { type AnyRoute, addRoutes } from '../../src/http/route.js';
import { allRoutes } from '../../src/http/routes/all-routes.js';
import { SearchQueue } from '../../src/http/search-queue.js';
import { fakeServices } from './fake-services.js';
import { ALSO_OPENED_BY, OPEN, openedBy, ROUTE_ACTIONS } from './route-actions.js';

const MASTER = 'a master key';
const EVERY_ACTION: readonly KeyAction[] = [...ACTIONS, OTHER_CHAT_ACTION];
const services = fakeServices().services;
const routes = allRoutes(services, new SearchQueue({ running: 1, waiting: 1 }), 1000);
const named = routes.map((one): [name: string, route: AnyRoute] => [
  `${one.method} ${one.path.replace(/:\w+/g, '{}')}`,
  one,
]);

let app: FastifyInstance;
const keyFor = new Map<KeyAction, string>();

/** All routes behind the real authentication, but none does anything. */
beforeAll(async () => {
  const apiKeys = new ApiKeys(MASTER, services.keys);
  const ring = new Authorizer(MASTER, apiKeys);
  app = fastify();
  handleErrors(app);
  recogniseShapes(app, 'current');
  authenticate(app, { ring, apiKeys, earlier: new EarlierKeys(MASTER) });
  app.removeAllContentTypeParsers();
  const idle = routes.map(({ method, path, actions }): AnyRoute => {
    const handle = () => ({ opened: true });
    return actions === undefined ? { method, path, handle } : { method, path, actions, handle };
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

  test('is a documented route', () => {
    expect(asked).toBeDefined();
  });

  test('opens to the keys it asks for and to no other', async () => {
    const opening = await actionsThatOpen(route);
    const expected: readonly KeyAction[] =
      asked === undefined || asked === OPEN
        ? EVERY_ACTION
        : [...openedBy(asked), ...(ALSO_OPENED_BY.get(name) ?? [])];
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
