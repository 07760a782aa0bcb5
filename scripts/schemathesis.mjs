// Lets Schemathesis (https://schemathesis.io, `pip install schemathesis`) send requests of all kinds to the built server,
// and hold the answers to the OpenAPI document.
//
//   npm run build && npm run schemathesis -- [--examples 50] [--seed 1] [--only regex] [-- further arguments]
//
// SCHEMATHESIS names the program where it is not on the PATH. The server reaches no address but those of this machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { MASTER_KEY, playStory } from './examples/play.mjs';
import { FILLED } from './examples/story.mjs';
import { inRoot } from './paths.mjs';
import { startServer } from './server-process.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    examples: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
  },
});

/** Answers without an end, and the route after which nothing can be written. */
const LEFT_OUT = ['followTasks', 'followBatches', 'followLogs', 'compactTasks'];
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'unsupported_method',
];

const server = await startServer({
  masterKey: MASTER_KEY,
  args: ['--experimental-allowed-ip-networks', '127.0.0.1/32'],
});
try {
  await playStory(server.url, FILLED);
  const args = [
    ...['--config-file', inRoot('scripts', 'schemathesis.toml')],
    'run',
    `${server.url}/openapi.json`,
    ...['--header', `Authorization: Bearer ${MASTER_KEY}`],
    ...['--checks', CHECKS.join(',')],
    ...['--max-examples', values.examples, '--seed', values.seed],
    ...['--phases', 'examples,coverage,fuzzing', '--request-timeout', '10'],
    ...LEFT_OUT.flatMap((id) => ['--exclude-operation-id', id]),
    ...(values.only === undefined ? [] : ['--include-path-regex', values.only]),
    ...positionals,
  ];
  const program = process.env.SCHEMATHESIS ?? 'schemathesis';
  const [code] = await once(spawn(program, args, { stdio: 'inherit' }), 'exit');
  process.exitCode = code ?? 1;
  if (server.exitCode() !== null) {
    console.error('the server ended');
    process.exitCode = 1;
  }
} finally {
  await server.remove();
}
