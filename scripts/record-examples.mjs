// Records the examples of the OpenAPI document from a real server: src/http/openapi/examples.json.
//
//   npm run build && npm run examples
import { writeFileSync } from 'node:fs';
import { MASTER_KEY, playStory } from './examples/play.mjs';
import { inRoot } from './paths.mjs';
import { startServer } from './server-process.mjs';

/** Characters of a text that an example shows. */
const SHOWN_CHARACTERS = 600;

/** @param {unknown} answer */
function shortened(answer) {
  if (typeof answer !== 'string' || answer.length <= SHOWN_CHARACTERS) return answer;
  return answer.slice(0, answer.lastIndexOf('\n', SHOWN_CHARACTERS) + 1);
}

const server = await startServer({
  masterKey: MASTER_KEY,
  // The provider and the servers of the story are on this machine.
  args: ['--experimental-allowed-ip-networks', 'any'],
});
try {
  const examples = new Map();
  for (const { route, ...example } of await playStory(server.url)) {
    if (example.status >= 400 && route !== 'POST /network/control') {
      throw new Error(`${route}: ${JSON.stringify(example)}`);
    }
    // Of a route that is used twice the first request is shown.
    if (examples.has(route)) continue;
    if ('answer' in example) example.answer = shortened(example.answer);
    examples.set(route, example);
  }
  const lines = [...examples].map(
    ([route, one]) => `${JSON.stringify(route)}: ${JSON.stringify(one)}`,
  );
  writeFileSync(inRoot('src', 'http', 'openapi', 'examples.json'), `{\n${lines.join(',\n')}\n}\n`);
} finally {
  await server.remove();
}
