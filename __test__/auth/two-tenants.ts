import { generateTenantToken } from 'meilisearch/token';
import { expect, onTestFinished } from 'vitest';
import { createServer } from '../../src/http/create-server.js';
import { servicesOf } from '../../src/http/serval-services.js';
import { Serval } from '../../src/serval.js';
import { dataFolder } from '../tasks/open-serval.js';

const MASTER = 'a-master-key-for-tests';

/** In every text, value and number of documents that a token must not show. */
export const FOREIGN = 'foreign';
const FOREIGN_NUMBER = 777_000;

interface Note extends Record<string, unknown> {
  readonly id: number;
  readonly owner: string;
  readonly level: number;
  readonly shared: boolean;
}

const VECTORS = [
  [1, 0],
  [0, 1],
  [0.6, 0.8],
];

const note = (id: number): Note => {
  const mine = id % 3 === 0;
  const shared = id % 4 === 0;
  const mark = mine || shared ? id : FOREIGN_NUMBER + id;
  const word = mine || shared ? 'own' : FOREIGN;
  return {
    id,
    owner: mine ? 'mine' : 'other',
    shared,
    level: id % 5,
    mark,
    title: `a ${word} note on ${id % 2 === 0 ? 'foxes' : 'lakes'}`,
    tags: [`${word}-tag-${id % 4}`],
    _geo: { lat: id, lng: -id },
    _vectors: { plain: VECTORS[id % VECTORS.length] },
  };
};

const NOTES = Array.from({ length: 60 }, (_, at) => note(at + 1));

/** Rules of tokens with the documents that they leave. */
export const RULES: readonly [filter: unknown, shows: (note: Note) => boolean][] = [
  ['owner = mine', ({ owner }) => owner === 'mine'],
  ['owner = mine OR shared = true', ({ owner, shared }) => owner === 'mine' || shared],
  [['owner = mine', 'level < 3'], ({ owner, level }) => owner === 'mine' && level < 3],
  [[['owner = mine', 'shared = true']], ({ owner, shared }) => owner === 'mine' || shared],
  [
    [['owner = mine', 'shared = true'], 'level != 2'],
    ({ owner, shared, level }) => (owner === 'mine' || shared) && level !== 2,
  ],
];

const SETTINGS = {
  filterableAttributes: ['owner', 'level', 'mark', 'tags', 'shared', '_geo'],
  sortableAttributes: ['level', 'mark', '_geo'],
  rankingRules: ['words', 'sort', 'attribute', 'exactness'],
  embedders: { plain: { source: 'userProvided', dimensions: 2 } },
};

/** Pinned in every search: some that no rule shows, and more than may be pinned. */
const PINNED = [59, 58, 60, 55, 57, 12, 56, 48];
const PINS_AT_MOST = 3;

/** An answer: its status, its text, and what the text means. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly body: Record<string, unknown>;
}

/**
 * A server with the notes of all in one index `notes`, and for each rule an index `own-0`, `own-1`, ...
 * with the notes that the rule leaves: what a token finds in the first must be what is in its own.
 */
export async function serverOfTenants() {
  const db = await Serval.open(dataFolder(), { searchRuleBudgets: { pinActions: PINS_AT_MOST } });
  const app = await createServer(servicesOf(db), { payloadSizeLimit: 1e6, masterKey: MASTER });
  onTestFinished(() => app.close().then(() => db.close()));
  const call = async (method: string, url: string, payload?: unknown, key = MASTER) => {
    const response = await app.inject({
      method: method as 'POST',
      url,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(payload === undefined ? {} : { payload: JSON.stringify(payload) }),
    });
    const text = response.body;
    return { status: response.statusCode, text, body: text === '' ? {} : JSON.parse(text) };
  };
  const write = async (method: string, url: string, payload: unknown) => {
    const { body } = await call(method, url, payload);
    const task = await db.tasks.waitFor(Number(body.taskUid));
    expect(task).toMatchObject({ status: 'succeeded' });
  };
  await db.features.set({ dynamicSearchRules: true });
  const shown = RULES.map(([, shows], at) => [`own-${at}`, NOTES.filter(shows)] as const);
  for (const [uid, notes] of [['notes', NOTES] as const, ...shown]) {
    await write('PATCH', `/indexes/${uid}/settings`, SETTINGS);
    await write('POST', `/indexes/${uid}/documents?primaryKey=id`, notes);
  }
  const actions = PINNED.map((id, position) => ({
    selector: { id: String(id) },
    action: { type: 'pin', position },
  }));
  await write('PATCH', '/dynamic-search-rules/pins', { actions });
  const { body: key } = await call('POST', '/keys', {
    actions: ['*'],
    indexes: ['*'],
    expiresAt: null,
  });
  const tokens = await Promise.all(
    RULES.map(([filter]) =>
      generateTenantToken({
        apiKey: String(key.key),
        apiKeyUid: String(key.uid),
        searchRules: { notes: { filter } } as Record<string, { filter: string }>,
        force: true,
      }),
    ),
  );
  return { call, tokens };
}

/** What no answer to a token may hold. */
export const LEAK = new RegExp(`${FOREIGN}|${FOREIGN_NUMBER / 1000}\\d{3}`);
