import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer } from '../../scripts/server-process.mjs';
import { Described, type Operation, servedDocument } from '../http/openapi-document.js';
import { MASTER_KEY, write } from './talk.js';

/** Routes after which the others can do nothing, or whose answers do not end. */
const LEFT_OUT = ['followTasks', 'followBatches', 'followLogs', 'compactTasks'];
const FEATURES = [
  ...['metrics', 'logsRoute', 'editDocumentsByFunction', 'network', 'dynamicSearchRules'],
  ...['getTaskDocumentsRoute', 'chatCompletions', 'foreignKeys', 'renderRoute'],
];
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'PROPFIND'];
const JSON_TYPE = 'application/json';

let server: Awaited<ReturnType<typeof startServer>>;
let described: Described;
let operations: [name: string, operation: Operation][];

beforeAll(async () => {
  const args = ['--experimental-allowed-ip-networks', '127.0.0.1/32'];
  server = await startServer({ masterKey: MASTER_KEY, args });
  described = new Described(await servedDocument());
  operations = described
    .operations()
    .filter(([, { operationId }]) => !LEFT_OUT.includes(operationId));
  await fetch(`${server.url}/experimental-features`, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${MASTER_KEY}`, 'Content-Type': JSON_TYPE },
    body: JSON.stringify(Object.fromEntries(FEATURES.map((name) => [name, true]))),
  });
  await write(server.url, 'POST', '/indexes/films/documents', [{ id: 1, title: 'Alien' }]);
});

afterAll(async () => {
  const { status } = await fetch(`${server.url}/health`);
  await server.remove();
  expect(status).toBe(200);
});

interface Sent {
  readonly method?: string;
  readonly query?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

interface Received {
  readonly status: number;
  readonly contentType: string;
  readonly allow: string | null;
  readonly body: unknown;
}

const filledPath = (name: string): string =>
  (name.split(' ')[1] ?? '')
    .replace('{indexUid}', 'films')
    .replace(/\{(task|batch)Uid\}|\{updateId\}|\{documentId\}/, '1')
    .replace('{uuid}', '5e1f0c2a-7b3d-4e6f-8a9b-0c1d2e3f4051')
    .replace(/\{\w+\}/, 'some');

async function send(name: string, { method, query = '', headers = {}, body }: Sent = {}) {
  const response = await fetch(`${server.url}${filledPath(name)}${query}`, {
    method: method ?? name.split(' ')[0] ?? '',
    headers: { Authorization: `Bearer ${MASTER_KEY}`, ...headers },
    body: body ?? null,
  });
  const contentType = response.headers.get('content-type') ?? '';
  const text = await response.text();
  const received: Received = {
    status: response.status,
    contentType,
    allow: response.headers.get('allow'),
    body: text === '' ? undefined : contentType === JSON_TYPE ? JSON.parse(text) : text,
  };
  return received;
}

const codeOf = ({ body }: Received): unknown => (body as { code?: string } | undefined)?.code;

/** The routes that take JSON and nothing else. */
const takingJson = () =>
  operations.filter(([, { requestBody }]) => {
    const types = Object.keys(requestBody?.content ?? {});
    return types.length === 1 && types[0] === JSON_TYPE;
  });

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test.each([
  ['broken off', '{"a":'],
  ['with a comma too many', '{"a":1,}'],
  ['followed by more', '{} {}'],
  ['nested without end', `${'['.repeat(5000)}${']'.repeat(5000)}`],
  ['that are no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ['with half a character', '{"\\ud800":1}'],
  ['of NUL bytes', new Uint8Array(16)],
  ['with a byte order mark', bytes('\ufeff{}')],
])('bodies %s are malformed on every route that takes JSON', async (_, body) => {
  for (const [name] of takingJson()) {
    const received = await send(name, { headers: { 'Content-Type': JSON_TYPE }, body });
    expect([name, received.status, codeOf(received)]).toEqual([name, 400, 'malformed_payload']);
  }
});

test('absent bodies, other media types and unknown encodings are told apart on every route', async () => {
  const headers = { 'Content-Type': JSON_TYPE };
  const packed = { ...headers, 'Content-Encoding': 'gzip' };
  const cases: [Sent, number, string][] = [
    [{ headers, body: '' }, 400, 'missing_payload'],
    [{ headers: { 'Content-Type': 'text/plain' }, body: '{}' }, 415, 'invalid_content_type'],
    [{ headers: { 'Content-Type': 'no type' }, body: '{}' }, 415, 'invalid_content_type'],
    [{ body: bytes('{}') }, 415, 'missing_content_type'],
    [
      { headers: { ...headers, 'Content-Encoding': 'lzma' }, body: '{}' },
      415,
      'unsupported_media_type',
    ],
    [{ headers: packed, body: 'not packed' }, 400, 'bad_request'],
  ];
  for (const [name] of takingJson()) {
    for (const [sent, status, code] of cases) {
      const received = await send(name, sent);
      expect([name, received.status, codeOf(received)]).toEqual([name, status, code]);
    }
  }
});

test('values of every kind in the place of every body are answered as documented', async () => {
  const long = JSON.stringify(Array.from({ length: 50_000 }, (_, at) => at));
  const odd = ['null', 'true', '-1', '1e400', '""', '"x"', '[]', '[[]]', '[null]', '{}', long];
  const fields = ['{"":1}', '{"__proto__":{"a":1}}', '{"constructor":null}', '{"a":{"b":[{}]}}'];
  const problems: string[] = [];
  for (const [name, { requestBody }] of operations) {
    for (const type of Object.keys(requestBody?.content ?? {})) {
      for (const body of [...odd, ...fields]) {
        const received = await send(name, { headers: { 'Content-Type': type }, body });
        const problem = described.answerProblem(name, received);
        if (problem !== undefined || (received.status >= 500 && received.status !== 501)) {
          problems.push(`${name} ${body.slice(0, 30)}: ${received.status} ${problem}`);
        }
      }
    }
  }
  expect(problems).toEqual([]);
}, 60_000);

test('fields of every wrong kind are answered as documented', async () => {
  const schemas = (
    described.document.components as { schemas: Record<string, { properties?: object }> }
  ).schemas;
  const problems: string[] = [];
  for (const [name, { requestBody }] of takingJson()) {
    const reference =
      String(requestBody?.content?.[JSON_TYPE]?.schema.$ref).split('/').at(-1) ?? '';
    for (const field of Object.keys(schemas[reference]?.properties ?? {})) {
      for (const value of [
        null,
        true,
        -1,
        1.5,
        2 ** 70,
        '',
        'x'.repeat(5000),
        [],
        [{}],
        {},
        { a: [] },
      ]) {
        const body = JSON.stringify({ [field]: value });
        const received = await send(name, { headers: { 'Content-Type': JSON_TYPE }, body });
        const problem = described.answerProblem(name, received);
        if (problem !== undefined)
          problems.push(`${name} ${body.slice(0, 60)}: ${received.status} ${problem}`);
      }
    }
  }
  expect(problems).toEqual([]);
}, 60_000);

test('parameters that are unknown, empty or no text are answered as documented', async () => {
  const problems: string[] = [];
  for (const [name, { parameters = [], requestBody }] of operations) {
    if (requestBody !== undefined) continue;
    const known = parameters.filter((one) => one.in === 'query').map((one) => String(one.name));
    const values = ['', '%00', '%ff', '-1', '1e9', 'null', '*', '%F0%9F%A6%81', 'x'.repeat(3000)];
    const queries = known.flatMap((one) => values.map((value) => `?${one}=${value}`));
    for (const query of [...queries, ...known.map((one) => `?${one}&${one}=1`)]) {
      const problem = described.answerProblem(name, await send(name, { query }));
      if (problem !== undefined) problems.push(`${name} ${query}: ${problem}`);
    }
    if (known.length === 0) continue;
    const unknown = await send(name, { query: '?no-such-parameter=1' });
    expect([name, unknown.status, codeOf(unknown)]).toEqual([name, 400, 'bad_request']);
  }
  expect(problems).toEqual([]);
}, 60_000);

test('wrong methods are refused without a body, and with the methods that are right', async () => {
  const byPath = new Map(operations.map(([name]) => [filledPath(name), name]));
  const taken = new Set(
    described.operations().map(([name]) => `${name.split(' ')[0]} ${filledPath(name)}`),
  );
  for (const [path, first] of byPath) {
    for (const method of METHODS.filter((one) => !taken.has(`${one} ${path}`))) {
      const { status, body, allow } = await send(first, { method });
      expect([method, path, status, body]).toEqual([method, path, 405, undefined]);
      expect(allow?.split(', ')).toContain(first.split(' ')[0]);
      expect(allow?.split(', ')).not.toContain(method);
    }
  }
  const unknown = await fetch(`${server.url}/no/such/path`, { method: 'POST', body: '{' });
  expect([unknown.status, await unknown.text()]).toEqual([404, '']);
});

/** What a server answers to bytes, until it ends the connection. */
function exchange(text: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.end(text));
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(answer));
  });
}

const HEADERS = `Host: x\r\nAuthorization: Bearer ${MASTER_KEY}\r\nContent-Type: application/json\r\n`;

test.each([
  [
    'headers that are too large',
    `GET /tasks HTTP/1.1\r\n${HEADERS}A: ${'a'.repeat(20_000)}\r\n\r\n`,
    431,
  ],
  [
    'an address that is too long',
    `GET /tasks?a=${'a'.repeat(20_000)} HTTP/1.1\r\n${HEADERS}\r\n`,
    431,
  ],
  ['no request at all', 'nonsense\r\n\r\n', 400],
  ['a method that does not exist', `FOO /tasks HTTP/1.1\r\n${HEADERS}\r\n`, 400],
  ['a header with a space in its name', `GET /tasks HTTP/1.1\r\n${HEADERS}A b: c\r\n\r\n`, 400],
  [
    'a length that is no number',
    `POST /indexes HTTP/1.1\r\n${HEADERS}Content-Length: x\r\n\r\n{}`,
    400,
  ],
  [
    'two lengths',
    `POST /indexes HTTP/1.1\r\n${HEADERS}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} `,
    400,
  ],
  [
    'a length and chunks',
    `POST /indexes HTTP/1.1\r\n${HEADERS}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
  ],
  [
    'a chunk without a size',
    `POST /indexes HTTP/1.1\r\n${HEADERS}Transfer-Encoding: chunked\r\n\r\nx\r\n{}\r\n0\r\n\r\n`,
    400,
  ],
  [
    'a body that is cut off',
    `POST /indexes HTTP/1.1\r\n${HEADERS}Content-Length: 99\r\n\r\n{"uid":`,
    400,
  ],
  [
    'a path that cannot be decoded',
    `GET /indexes/%ff HTTP/1.1\r\n${HEADERS}Connection: close\r\n\r\n`,
    400,
  ],
])('%s is answered with an error like all others', async (_, text, status) => {
  const answer = await exchange(text);
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
  expect(Object.keys(body)).toEqual(['message', 'code', 'type', 'link']);
  expect(body).toMatchObject({ code: 'bad_request', type: 'invalid_request' });
});
