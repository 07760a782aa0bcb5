import { beforeAll, expect, test } from 'vitest';
import { MASTER_KEY, type Played, playStory } from '../../scripts/examples/play.mjs';
import { startServer } from '../../scripts/server-process.mjs';
import { EXAMPLES } from '../../src/http/openapi/examples.js';
import { Described, servedDocument } from './openapi-document.js';

/** The only route without an example: it would show the document in the document. */
const WITHOUT = ['GET /openapi.json'];

let described: Described;
beforeAll(async () => {
  described = new Described(await servedDocument());
});

const shown = (route: string): string => route.replace(/:(\w+)/g, '{$1}');

/** What of a request or its answer the document does not allow. */
function problemsOf({ route, contentType, body, status, answerType, answer }: Played): string[] {
  const name = shown(route);
  const sent =
    contentType === 'application/json' ? described.bodyProblem(name, contentType, body) : undefined;
  const contentTypeShown = answerType ?? '';
  const got = described.answerProblem(name, {
    status,
    contentType: contentTypeShown,
    body: answer,
  });
  return [sent, got].filter((one) => one !== undefined).map((one) => `${name}: ${one}`);
}

test('every route has an example, and every example is of a route', () => {
  const routes = described.operations().map(([name]) => name);
  const examples = Object.keys(EXAMPLES).map(shown);
  expect([...examples, ...WITHOUT].sort()).toEqual(routes.toSorted());
});

test('every example is a request and an answer that the document allows', () => {
  const played = Object.entries(EXAMPLES).map(([route, example]) => ({ ...example, route }));
  expect(played.flatMap((one) => problemsOf(one as Played))).toEqual([]);
});

test('a server answers the examples as they are shown, one after another', async () => {
  const args = ['--experimental-allowed-ip-networks', 'any'];
  const server = await startServer({ masterKey: MASTER_KEY, args });
  try {
    const played = await playStory(server.url);
    expect(played.flatMap(problemsOf)).toEqual([]);
    const first = new Map(played.toReversed().map((one) => [one.route, one]));
    for (const [route, { status, answerType }] of Object.entries(EXAMPLES)) {
      const now = first.get(route);
      expect([route, now?.status, now?.answerType]).toEqual([route, status, answerType]);
    }
  } finally {
    await server.remove();
  }
}, 60_000);
