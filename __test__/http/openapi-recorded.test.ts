import { expect, test } from 'vitest';
import { readCases, type Step } from '../contract/case-files.mjs';
import { Described, servedDocument } from './openapi-document.js';

/** Recorded texts that stand for values that change, with such a value. */
const PLACEHOLDERS: Readonly<Record<string, unknown>> = {
  '<int>': 7,
  '<date>': '2024-01-02T03:04:05.678Z',
  '<duration>': 'PT0.5S',
  '<object>': {},
  '<uuid>': '5e1f0c2a-7b3d-4e6f-8a9b-0c1d2e3f4051',
};

/** A recorded value as it was before what changes was taken out. */
function filled(value: unknown): unknown {
  if (typeof value === 'string') {
    return Object.hasOwn(PLACEHOLDERS, value)
      ? PLACEHOLDERS[value]
      : value.replace('<docs>', 'https://docs.example');
  }
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member)]));
}

/** An error whose code is all that counts. */
const ERROR = { message: '', type: 'invalid_request', link: 'https://docs.example' };

/** Fields that only Serval answers with, which recordings of other servers lack. */
const OWN_FIELDS = { indexSize: 1, usedIndexSize: 1, fieldsDistribution: {} };

function withOwnFields(name: string, body: unknown): unknown {
  if (!name.endsWith('/stats') || typeof body !== 'object' || body === null) return body;
  if ('code' in body) return body;
  if (!('indexes' in body)) return { ...OWN_FIELDS, ...body };
  const indexes = Object.entries(body.indexes as Record<string, object>);
  return {
    ...body,
    indexes: Object.fromEntries(indexes.map(([uid, one]) => [uid, { ...OWN_FIELDS, ...one }])),
  };
}

/** What is wrong with a recorded step, if anything; of answers kept in part only their code counts. */
function problemOf(described: Described, name: string, { res, pick, text }: Step) {
  if (res == null || res.status === 405) return undefined;
  const { code } = (res.body ?? {}) as { code?: string | null };
  if (pick !== undefined || text === true) {
    return res.status < 400 || code == null
      ? described.statusProblem(name, res.status)
      : described.answerProblem(name, { ...res, body: { ...ERROR, code } });
  }
  const body = res.body === '' ? undefined : withOwnFields(name, filled(res.body));
  return described.answerProblem(name, { ...res, body });
}

test('every recorded answer is one that the document describes', async () => {
  const described = new Described(await servedDocument());
  const problems = new Map<string, string>();
  let answers = 0;
  for (const { id, steps } of readCases()) {
    for (const step of steps) {
      const { req, res } = step;
      const name = req === undefined ? undefined : described.nameOf(req.method, req.path);
      if (name === undefined) continue;
      answers += 1;
      const problem = problemOf(described, name, step);
      if (problem !== undefined) problems.set(`${name} ${res?.status}: ${problem}`, id);
    }
  }
  expect(Object.fromEntries(problems)).toEqual({});
  expect(answers).toBeGreaterThan(3000);
});
