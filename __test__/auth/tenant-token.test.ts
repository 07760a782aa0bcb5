import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { indexRefusal, seesIndex, visibleFilter } from '../../src/auth/access.js';
import type { KeyAction } from '../../src/auth/actions.js';
import type { NewKey } from '../../src/auth/api-key.js';
import { ApiKeys } from '../../src/auth/api-keys.js';
import { Authorizer } from '../../src/auth/authorize.js';
import { KeyStore } from '../../src/auth/key-store.js';
import { memoryRecords } from './memory-records.js';

const UID = '5e1f0c2a-7b3d-4e6f-8a9b-0c1d2e3f4001';
const MASTER = 'a master key';
const NOW = Date.parse('2050-01-01T00:00:00Z');
const SECONDS = NOW / 1000;
const HASH = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' } as const;

const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

function sign(payload: unknown, secret: string, alg: keyof typeof HASH = 'HS256'): string {
  const signed = `${encode({ alg, typ: 'JWT' })}.${encode(payload)}`;
  return `${signed}.${createHmac(HASH[alg], secret).update(signed).digest('base64url')}`;
}

interface KeyOptions {
  readonly actions?: KeyAction[];
  readonly indexes?: string[];
  readonly expiresAt?: string;
}

const STORED: NewKey = {
  uid: UID,
  name: null,
  description: null,
  actions: ['search'],
  indexes: ['*'],
  expiresAt: null,
};

async function ringWith({ actions = ['search'], indexes = ['*'], expiresAt }: KeyOptions = {}) {
  const keys = new ApiKeys(MASTER, new KeyStore(memoryRecords()));
  const { key } = await keys.create({
    ...STORED,
    actions,
    indexes,
    expiresAt: expiresAt ?? null,
  });
  let now = NOW;
  const ring = new Authorizer(MASTER, keys, () => now);
  const pass = (ms: number): void => {
    now += ms;
  };
  const token = (claims: object, alg?: keyof typeof HASH) =>
    sign({ apiKeyUid: UID, ...claims }, key, alg);
  return { ring, keys, key, token, pass };
}

const INVALID = 'The provided API key is invalid.';

describe('a tenant token', () => {
  test.each(['HS256', 'HS384', 'HS512'] as const)('signed with %s opens searches', async (alg) => {
    const { ring, token } = await ringWith();
    const access = ring.accessOf(token({ searchRules: ['a'] }, alg), ['search']);
    expect([seesIndex(access, 'a'), seesIndex(access, 'b')]).toEqual([true, false]);
    expect(access.mayCreateIndexes).toBe(false);
  });

  test('opens nothing but searches and chats, whatever its key may do', async () => {
    const { ring, token } = await ringWith({ actions: ['*'] });
    const text = token({ searchRules: ['*'] });
    expect(() => ring.accessOf(text, ['documents.get'])).toThrow(INVALID);
    expect(() => ring.accessOf(text, ['keys.get'])).toThrow(INVALID);
    expect(ring.accessOf(text, ['chatCompletions']).tenantRules).toBeDefined();
  });

  test('needs a key that may search', async () => {
    const { ring, token } = await ringWith({ actions: ['documents.get'] });
    expect(() => ring.accessOf(token({ searchRules: ['*'] }), ['search'])).toThrow(INVALID);
  });

  test('holds to the last second of its end', async () => {
    const { ring, token } = await ringWith();
    const ending = (exp: unknown) => () =>
      ring.accessOf(token({ searchRules: ['*'], exp }), ['search']);
    for (const exp of [SECONDS, SECONDS + 1, 1e18, null]) expect(ending(exp)).not.toThrow();
    expect(ending(SECONDS - 1)).toThrow(
      `Tenant token expired. Was valid up to \`${SECONDS - 1}\` and we're now \`${SECONDS}\`.`,
    );
  });

  test('ends with its key', async () => {
    const { ring, token } = await ringWith({ expiresAt: '2050-01-01T00:00:00Z' });
    const exp = SECONDS + 1000;
    expect(() => ring.accessOf(token({ searchRules: ['*'], exp }), ['search'])).toThrow(INVALID);
  });

  test('dies when its key is deleted, and lives on when its name is changed', async () => {
    const { ring, keys, token } = await ringWith();
    const text = token({ searchRules: ['*'] });
    await keys.update(UID, { name: 'renamed' });
    expect(() => ring.accessOf(text, ['search'])).not.toThrow();
    await keys.delete(UID);
    expect(() => ring.accessOf(text, ['search'])).toThrow(INVALID);
  });

  test('that was used before ends when it says, and when its key does', async () => {
    const { ring, token, pass } = await ringWith({ expiresAt: '2050-01-01T00:01:00Z' });
    const short = token({ searchRules: ['*'], exp: SECONDS + 10 });
    const long = token({ searchRules: ['*'], exp: SECONDS + 1000 });
    for (const text of [short, long]) ring.accessOf(text, ['search']);
    pass(11_000);
    expect(() => ring.accessOf(short, ['search'])).toThrow('Tenant token expired.');
    expect(() => ring.accessOf(long, ['search'])).not.toThrow();
    pass(50_000);
    expect(() => ring.accessOf(long, ['search'])).toThrow(INVALID);
  });

  test('that was used before opens nothing but searches, and no more than its key', async () => {
    const { ring, keys, token } = await ringWith({ actions: ['search'] });
    const text = token({ searchRules: ['*'] });
    for (let time = 0; time < 2; time += 1) {
      expect(ring.accessOf(text, ['search']).mayCreateIndexes).toBe(false);
      expect(() => ring.accessOf(text, ['documents.get'])).toThrow(INVALID);
      expect(() => ring.accessOf(text, ['chatCompletions'])).toThrow(INVALID);
    }
    await keys.delete(UID);
    await keys.create({ ...STORED, indexes: ['other'] });
    expect(seesIndex(ring.accessOf(text, ['search']), 'films')).toBe(false);
  });

  test('dies with the master key', async () => {
    const { token } = await ringWith();
    const keys = new ApiKeys('another', new KeyStore(memoryRecords()));
    const ring = new Authorizer('another', keys, () => NOW);
    expect(() => ring.accessOf(token({ searchRules: ['*'] }), ['search'])).toThrow(
      'InvalidSignature',
    );
  });
});

describe('a forged token is refused', () => {
  const claims = { apiKeyUid: UID, searchRules: ['*'] };

  test('when it was signed with another secret', async () => {
    const { ring } = await ringWith();
    for (const secret of ['', MASTER, 'not the key']) {
      expect(() => ring.accessOf(sign(claims, secret), ['search'])).toThrow(
        'Could not decode tenant token, InvalidSignature.',
      );
    }
  });

  test('when its claims were changed after signing', async () => {
    const { ring, token } = await ringWith();
    const [header, , signature] = token({ searchRules: ['a'] }).split('.');
    const forged = `${header}.${encode(claims)}.${signature}`;
    expect(() => ring.accessOf(forged, ['search'])).toThrow('InvalidSignature');
  });

  test('when it was not signed', async () => {
    const { ring, token } = await ringWith();
    const [header, payload] = token({ searchRules: ['*'] }).split('.');
    expect(() => ring.accessOf(`${header}.${payload}.`, ['search'])).toThrow('InvalidSignature');
    for (const alg of ['none', 'None', 'hs256', '']) {
      const text = `${encode({ alg, typ: 'JWT' })}.${payload}.`;
      expect(() => ring.accessOf(text, ['search'])).toThrow(INVALID);
    }
  });

  test('when it names an algorithm with two keys, though signed with the secret', async () => {
    const { ring, key } = await ringWith();
    const signed = `${encode({ alg: 'RS256' })}.${encode(claims)}`;
    const signature = createHmac('sha256', key).update(signed).digest('base64url');
    expect(() => ring.accessOf(`${signed}.${signature}`, ['search'])).toThrow('InvalidAlgorithm');
  });

  test('when it names a key that does not exist', async () => {
    const { ring, key } = await ringWith();
    const other = { ...claims, apiKeyUid: UID.replace('01', 'ff') };
    expect(() => ring.accessOf(sign(other, key), ['search'])).toThrow('InvalidSignature');
  });

  test.each(['a.b.c', '..', 'x.y', 'eyJhbGciOiJIUzI1NiJ9.e30.', `${encode('null')}.e30.x`])(
    'when it only looks like one: %s',
    async (text) => {
      const { ring } = await ringWith();
      expect(() => ring.accessOf(text, ['search'])).toThrow(INVALID);
    },
  );
});

describe('claims that cannot be read are refused', () => {
  const about = (text: string) => `Could not decode tenant token, JSON error: ${text}.`;
  const prefix = `{"apiKeyUid":"${UID}"`;

  test.each([
    [`${prefix}}`, 'missing field `searchRules` at line 1 column 52'],
    [
      `${prefix},"searchRules":"all"}`,
      'data did not match any variant of untagged enum SearchRules at line 1 column 72',
    ],
    [
      `{"searchRules":"doggo","apiKeyUid":"${UID}"}`,
      'data did not match any variant of untagged enum SearchRules at line 1 column 22',
    ],
    [
      `${prefix},"searchRules":{"a":"who = ann"}}`,
      'data did not match any variant of untagged enum SearchRules at line 1 column 84',
    ],
    [
      `${prefix},"searchRules":["*"],"exp":"to, {\\"}"}`,
      'invalid type: string "to, {\\"}", expected i64 at line 1 column 88',
    ],
    [
      `${prefix},"exp":1.5,"searchRules":["*"]}`,
      'invalid type: floating point `1.5`, expected i64 at line 1 column 61',
    ],
  ])('%s', async (payload, problem) => {
    const { ring, key } = await ringWith();
    expect(() => ring.accessOf(sign(payload, key), ['search'])).toThrow(about(problem));
  });
});

describe('rules', () => {
  const accessWith = async (searchRules: unknown, options: KeyOptions = {}) => {
    const { ring, token } = await ringWith(options);
    return ring.accessOf(token({ searchRules }), ['search']);
  };

  test('open what both they and the key cover, and say which of them does not', async () => {
    const access = await accessWith(['doggo', 'cat*', 'bird'], { indexes: ['cat', 'doggo'] });
    expect(indexRefusal(access, 'cat')).toBeUndefined();
    expect(indexRefusal(access, 'horse')).toBe(
      'The provided tenant token cannot acces the index `horse`, allowed indexes are ["bird", "cat*", "doggo"].',
    );
    expect(indexRefusal(access, 'cats')).toBe(
      'The API key used to generate this tenant token cannot acces the index `cats`.',
    );
    expect(['cat', 'cats', 'bird'].map((uid) => seesIndex(access, uid))).toEqual([
      true,
      false,
      false,
    ]);
  });

  test.each([[[]], [{}]])('%j open nothing', async (searchRules) => {
    const access = await accessWith(searchRules);
    expect(indexRefusal(access, 'a')).toContain('allowed indexes are [].');
  });

  test('of the uid itself go before patterns, and longer patterns before shorter ones', async () => {
    const access = await accessWith({
      '*': { filter: 'x = 1' },
      'a*': null,
      'ab*': { filter: 'x = 2' },
      ab: { filter: 'x = 3' },
    });
    const filters = ['b', 'ac', 'abc', 'ab'].map((uid) => visibleFilter(access, uid, undefined));
    expect(filters).toEqual(['x = 1', undefined, 'x = 2', 'x = 3']);
  });

  test('without a filter leave that of the request', async () => {
    for (const rules of [['*'], { '*': null }, { '*': {} }, { '*': { filter: null } }]) {
      expect(visibleFilter(await accessWith(rules), 'a', 'y = 1')).toBe('y = 1');
    }
  });

  test.each([
    ['x = 1', undefined, 'x = 1'],
    ['x = 1', null, 'x = 1'],
    ['x = 1', '', 'x = 1'],
    ['x = 1', [], ['x = 1']],
    ['x = 1', 'y = 1 OR y = 2', ['y = 1 OR y = 2', 'x = 1']],
    ['x = 1', ['y = 1', 'y = 2'], ['y = 1', 'y = 2', 'x = 1']],
    ['x = 1', [['y = 1', 'y = 2']], [['y = 1', 'y = 2'], 'x = 1']],
    [[['x = 1', 'x = 2'], 'z'], ['y = 1'], ['y = 1', ['x = 1', 'x = 2'], 'z']],
  ])(
    'the filter %j follows that of the request %j, and both must hold',
    async (rule, asked, both) => {
      const access = await accessWith({ a: { filter: rule } });
      expect(visibleFilter(access, 'a', asked)).toEqual(both);
    },
  );
});
