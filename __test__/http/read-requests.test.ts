import { describe, expect, test } from 'vitest';
import { RouteTable } from '../../src/http/route-table.js';
import { allRoutes, readRoutes } from '../../src/http/routes/all-routes.js';
import { SearchQueue } from '../../src/http/search-queue.js';
import { isRead } from '../../src/http/workers/read-requests.js';
import { fakeServices } from './fake-services.js';

const queue = new SearchQueue({ running: 1, waiting: 1 });
const { services } = fakeServices();
const all = allRoutes(services, queue, 1000);
const reads = readRoutes(services, queue);
const filled = (path: string): string => path.replace(':indexUid', 'films').replace(/:\w+/, '17');

describe('of the requests that a thread beside the first one may get', () => {
  test('those of the reading routes are reads, and of no other route', () => {
    const named = (routes: readonly { method: unknown; path: string }[]) =>
      routes.map(({ method, path }) => `${method} ${path}`);
    const found = all.filter(({ method, path }) => isRead(String(method), filled(path)));
    expect(named(found).sort()).toEqual(named(reads).sort());
  });

  test('an id of a document is none where a route has a name in its place', () => {
    const table = new RouteTable();
    for (const { method, path } of all) table.add(path, [String(method)]);
    for (const { path } of all) {
      const address = filled(path);
      if (table.methodsOf(address)?.includes('GET') === true) continue;
      expect([path, isRead('GET', address)]).toEqual([path, false]);
    }
  });

  test.each([
    ['GET', '/indexes/films/search?q=a'],
    ['POST', '/multi-search'],
    ['GET', '/indexes/films/documents/a-b_c'],
  ])('%s %s is a read', (method, url) => expect(isRead(method, url)).toBe(true));

  test.each([
    ['HEAD', '/indexes/films/search'],
    ['OPTIONS', '/multi-search'],
    ['GET', '/indexes/films/search/'],
    ['GET', '//indexes/films/search'],
    ['GET', '/indexes/fi%6cms/search'],
    ['POST', '/indexes/films/documents'],
    ['DELETE', '/indexes/films/documents/1'],
    ['GET', '/indexes/films/settings'],
    ['constructor', '/'],
  ])('%s %s is left to the first thread', (method, url) => expect(isRead(method, url)).toBe(false));
});
