import { expect } from 'vitest';
import { ask, write } from '../server/talk.js';

/** What a server holds, as far as the tests of this folder change it. */
export type Held = Readonly<Record<string, unknown>>;

const DOCUMENTS = 200;
const FILLED = ['films', 'others'];
let nextId = 10_000;

interface Film {
  readonly id: number;
  readonly [name: string]: unknown;
}

function film(id: number, text: string): Film {
  return {
    id,
    title: `film ${id} ${text}`,
    genre: ['drama', 'comedy', 'horror'][id % 3],
    year: 1950 + (id % 70),
    _geo: { lat: id % 80, lng: id % 170 },
    _vectors: { own: [id % 7, 1, id % 3] },
  };
}

/** Documents that no index holds yet. */
export function newDocuments(count: number, text: string): Film[] {
  return Array.from({ length: count }, () => {
    nextId += 1;
    return film(nextId, text);
  });
}

/** Fills the indexes `films` and `others`. */
export async function makeIndexes(server: string): Promise<void> {
  const settings = {
    filterableAttributes: ['genre', 'year', '_geo'],
    sortableAttributes: ['year'],
    embedders: { own: { source: 'userProvided', dimensions: 3 } },
  };
  for (const uid of FILLED) {
    const changed = await write(server, 'PATCH', `/indexes/${uid}/settings`, settings);
    const films = Array.from({ length: DOCUMENTS }, (_, id) => film(id, 'the first words'));
    const added = await write(server, 'POST', `/indexes/${uid}/documents`, films);
    expect([changed.status, added.status]).toEqual(['succeeded', 'succeeded']);
  }
}

const documents = (server: string, uid: string): Promise<unknown> =>
  ask(`${server}/indexes/${uid}/documents/fetch`, 'POST', { limit: 1000, retrieveVectors: true });

/** What an index answers to several questions. */
export async function heldByIndex(server: string, uid: string): Promise<unknown[]> {
  const searches = [
    { q: 'film first', limit: 30, facets: ['genre', 'year'] },
    { q: 'new words', limit: 30, filter: 'year > 1990', sort: ['year:asc'] },
    { vector: [1, 2, 3], hybrid: { embedder: 'own', semanticRatio: 1 }, limit: 10 },
  ];
  const answers = await Promise.all(
    searches.map((body) => ask(`${server}/indexes/${uid}/search`, 'POST', body)),
  );
  const settings = await ask(`${server}/indexes/${uid}/settings`);
  const timeless = answers.map(({ processingTimeMs: _, requestUid: __, ...rest }) => rest);
  return [...timeless, await documents(server, uid), settings];
}

/** What a server answers to several questions about all of its indexes. */
export async function heldBy(server: string): Promise<Held> {
  const { results } = await ask<{ results: { uid: string }[] }>(`${server}/indexes?limit=100`);
  const held: Record<string, unknown> = {};
  for (const { uid } of results) {
    held[uid] = FILLED.includes(uid)
      ? await heldByIndex(server, uid)
      : await documents(server, uid);
  }
  const { results: hooks } = await ask<{ results: unknown[] }>(`${server}/webhooks`);
  return { ...held, webhooks: hooks };
}
