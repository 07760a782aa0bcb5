import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Access, FULL_ACCESS, visibleFilter } from '../../src/auth/access.js';
import { engineSearch } from '../../src/search/engine-request.js';
import type { SearchRequest } from '../../src/search/search-request.js';
import { SEED } from '../seed.js';

const reader = { settingsWithoutWords: async () => '{}', foreignUids: () => [] };
const tenant: Access = { ...FULL_ACCESS, tenantRules: new Map([['films', 'owner = 1']]) };
const off = { containsFilter: false };

/** What the engine gets, as it reads it. */
async function asked(
  request: SearchRequest,
  access: Access,
  features: Readonly<Record<string, boolean>>,
): Promise<unknown> {
  const surroundings = { access, features, queryEmbedder: undefined, stop: undefined };
  return JSON.parse(
    JSON.stringify(await engineSearch('films', request, reader, surroundings)),
  ) as unknown;
}

/** The same, one field after the other. */
function naive(
  request: SearchRequest,
  access: Access,
  features: Readonly<Record<string, boolean>>,
): unknown {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(request)) {
    if (value !== null && value !== undefined) fields[name] = value;
    else if (value === null && /^(cropMarker|highlightP)/.test(name)) fields[name] = '';
  }
  delete fields.filter;
  const filter = visibleFilter(access, 'films', request.filter);
  if (filter != null) fields.filter = filter;
  const on = Object.entries(features).filter(([, isOn]) => isOn);
  if (on.length > 0) fields.features = Object.fromEntries(on);
  return fields;
}

const REQUESTS = fc.record(
  {
    q: fc.constantFrom('boat', '', null),
    filter: fc.constantFrom('year = 2000', '', null, ['a = 1', ['b = 2', 'c = 3']]),
    limit: fc.nat(),
    cropMarker: fc.constantFrom('...', null),
    highlightPreTag: fc.constantFrom('<b>', null),
    highlightPostTag: fc.constantFrom('</b>', null),
    sort: fc.constantFrom(['year:asc'], null),
    distinct: fc.constantFrom('title', undefined),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<SearchRequest>;

describe('a search as the engine takes it', () => {
  test('never differs from putting it together field by field', async () => {
    const accesses = fc.constantFrom(FULL_ACCESS, tenant);
    const features = fc.constantFrom(off, { containsFilter: true, metrics: false });
    const property = fc.asyncProperty(REQUESTS, accesses, features, async (request, who, on) => {
      expect(await asked(request, who, on)).toEqual(naive(request, who, on));
    });
    await fc.assert(property, { seed: SEED });
  });

  test('names the other indexes that the sender may search, where keys are followed', async () => {
    const rules = new Map<string, unknown>([
      ['films', undefined],
      ['people', 'owner = 1'],
      ['awards', undefined],
      ['gone', undefined],
      ['broken', undefined],
    ]);
    const foreignUids = () => ['awards', 'broken', 'gone', 'hidden', 'people'];
    const opened: string[] = [];
    const openFolder = async (uid: string) => {
      opened.push(uid);
      if (uid === 'broken') throw new Error('damaged');
      return uid === 'gone' ? undefined : `/data/${uid}`;
    };
    const search = await engineSearch(
      'films',
      { q: 'boat' },
      { ...reader, foreignUids },
      {
        access: { ...FULL_ACCESS, tenantRules: rules },
        features: { foreignKeys: true },
        openFolder,
        queryEmbedder: undefined,
        stop: undefined,
      },
    );
    expect(search.foreign).toEqual({
      awards: { folder: '/data/awards', filter: undefined },
      people: { folder: '/data/people', filter: 'owner = 1' },
    });
    expect(opened).not.toContain('hidden');
  });

  test('reads no keys where they are not followed', async () => {
    const foreignUids = () => {
      throw new Error('they are not to be read');
    };
    for (const features of [off, { foreignKeys: true }]) {
      const surroundings = { access: tenant, features, queryEmbedder: undefined, stop: undefined };
      const search = await engineSearch('films', {}, { ...reader, foreignUids }, surroundings);
      expect(search).not.toHaveProperty('foreign');
    }
  });

  test('leaves the request of its sender as it was', async () => {
    const request = Object.freeze({ q: 'boat', cropMarker: null, filter: 'year = 2000' });
    await asked(request, tenant, { containsFilter: true });
    expect(request).toEqual({ q: 'boat', cropMarker: null, filter: 'year = 2000' });
  });
});
