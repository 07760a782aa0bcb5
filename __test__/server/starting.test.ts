import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { startServer } from '../../scripts/server-process.mjs';

const run = promisify(execFile);
const MASTER = 'a-long-enough-master-key';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'serval-start-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** What a start that fails says, and its exit code. */
async function failure(
  args: string[],
  env: Record<string, string> = {},
  data = ['--db-path', join(folder, 'data.sv')],
) {
  const command = [inRoot('dist', 'main.js'), ...data, ...args];
  const failed = await run(process.execPath, command, {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ...env },
    timeout: 10_000,
  }).catch((error: { code: number; stderr: string }) => error);
  return { code: 'code' in failed ? failed.code : 0, said: failed.stderr };
}

describe('a start is refused with a reason and exit code 1', () => {
  test('in production without a master key, with one proposed', async () => {
    const { code, said } = await failure(['--env', 'production']);
    expect(code).toBe(1);
    expect(said).toMatch(/^serval: You must provide a master key .*production environment\./);
    expect(said).toMatch(/\n\n>> --master-key [\w-]{43} <<\n$/);
  });

  test('in production with a short master key, which is not repeated', async () => {
    const { code, said } = await failure(['--env', 'production'], { SVC_MASTER_KEY: 'shortkey' });
    expect(code).toBe(1);
    expect(said).toContain('The provided key is only 8 bytes.');
    expect(said).not.toContain('shortkey');
  });

  test('with a variable, a file or a certificate that cannot be read', async () => {
    expect(await failure([], { SVC_LOG_LEVEL: 'LOUD' })).toMatchObject({
      code: 1,
      said: expect.stringMatching(/^serval: SVC_LOG_LEVEL: `LOUD` is not one of OFF, ERROR/),
    });
    await writeFile(join(folder, 'config.toml'), 'http_adr = "localhost:1"');
    expect(await failure([])).toMatchObject({
      code: 1,
      said: expect.stringContaining('did you mean `http_addr`?'),
    });
    await rm(join(folder, 'config.toml'));
    expect(await failure(['--ssl-cert-path=none.pem', '--ssl-key-path=none.pem'])).toMatchObject({
      code: 1,
      said: expect.stringMatching(/^serval: --ssl-cert-path: ENOENT/),
    });
  });
});

describe('a start that the system refuses is told without a trace', () => {
  test('where the port is taken, also with more threads for HTTP', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    try {
      for (const more of [[], ['--http-workers', '2']]) {
        expect(await failure(['--http-addr', `127.0.0.1:${port}`, ...more])).toEqual({
          code: 1,
          said: `serval: --http-addr: cannot listen at 127.0.0.1:${port}: another program listens there already\n`,
        });
      }
    } finally {
      taken.close();
    }
  });

  test('where the address is none of this machine', async () => {
    expect(await failure(['--http-addr', '192.0.2.1:7700'])).toEqual({
      code: 1,
      said: 'serval: --http-addr: cannot listen at 192.0.2.1:7700: the address is none of this machine\n',
    });
  });

  test.each([
    ['a file', 'config.toml'],
    ['below a file', 'config.toml/data'],
    ['where the system makes no folders', '/proc/serval/data'],
  ])('where the data folder is %s', async (_, path) => {
    await writeFile(join(folder, 'config.toml'), `db_path = ${JSON.stringify(path)}`);
    const { code, said } = await failure([], {}, []);
    expect(code).toBe(1);
    expect(said).toMatch(
      /^serval: --db-path: the data folder \S+ cannot be opened: E[A-Z]+: .*\n$/,
    );
  });

  test('where the configuration file is a folder', async () => {
    expect(await failure(['--config-file-path', '.'])).toEqual({
      code: 1,
      said: 'serval: the configuration file . cannot be read: EISDIR: illegal operation on a directory, read\n',
    });
  });
});

test('what is printed at the start names the port that the system chose', async () => {
  const server = spawn(
    process.execPath,
    [inRoot('dist', 'main.js'), '--db-path', join(folder, 'data.sv'), '--http-addr', '127.0.0.1:0'],
    { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'], env: { PATH: process.env.PATH ?? '' } },
  );
  const [printed] = await once(server.stdout, 'data');
  const ended = once(server, 'exit');
  const [, url] = /^address: +(\S+)/m.exec(String(printed)) ?? [];
  expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: 'available' });
  server.kill();
  await ended;
});

test('an empty variable of the master key is none', async () => {
  const server = await startServer({ env: { SVC_MASTER_KEY: '' } });
  try {
    expect((await fetch(`${server.url}/indexes`)).status).toBe(200);
    expect(server.output()).toContain('none, every route is open');
  } finally {
    await server.remove();
  }
});

describe('at the root', () => {
  const page = { headers: { accept: 'text/html,*/*;q=0.8' } };

  test('browsers see a page in development, programs the status', async () => {
    const server = await startServer();
    try {
      const shown = await fetch(server.url, page);
      expect(shown.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(await shown.text()).toContain('<title>Serval</title>');
      expect(await (await fetch(server.url)).json()).toEqual({ status: 'Serval is running' });
    } finally {
      await server.remove();
    }
  });

  test('everybody sees the status alone in production', async () => {
    const server = await startServer({ masterKey: MASTER, args: ['--env', 'production'] });
    try {
      expect(await (await fetch(server.url, page)).text()).toBe('{"status":"Serval is running"}');
    } finally {
      await server.remove();
    }
  });
});

test('what a launch option switches on is on, until it is switched, and again at the next start', async () => {
  const args = ['--experimental-contains-filter'];
  const json = { 'content-type': 'application/json' };
  let server = await startServer({ folder, args });
  const features = async () => (await fetch(`${server.url}/experimental-features`)).json();
  expect(await features()).toMatchObject({ containsFilter: true, metrics: false });
  const body = JSON.stringify({ containsFilter: false });
  await fetch(`${server.url}/experimental-features`, { method: 'PATCH', headers: json, body });
  expect(await features()).toMatchObject({ containsFilter: false });
  await server.stop();
  server = await startServer({ folder, args });
  expect(await features()).toMatchObject({ containsFilter: true });
  await server.stop();
});

test('the log can be objects in JSON, one a line', async () => {
  const server = await startServer({ args: ['--experimental-logs-mode', 'json'] });
  await server.stop();
  await server.remove();
  const lines = server
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  expect(lines.map((line) => JSON.parse(line).target)).toContain('main');
});
