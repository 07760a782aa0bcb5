import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { inRoot } from '../scripts/paths.mjs';
import { startServer } from '../scripts/server-process.mjs';
import { loadConfig } from '../src/config/load-config.js';
import { OPTION_NAMES, variableOf } from '../src/config/options.js';
import { usableMemory } from '../src/config/usable-memory.js';

const run = promisify(execFile);
const read = (path: string): string => readFileSync(inRoot(path), 'utf8');
const variables = new Set<string>(OPTION_NAMES.map((name) => variableOf(name)));

describe('the container file', () => {
  const file = read('packaging/Dockerfile').replaceAll('\\\n', ' ');
  const last = file.slice(file.lastIndexOf('\nFROM '));
  const instructions = (name: string): string[] =>
    [...last.matchAll(new RegExp(`^${name} (.*)$`, 'gm'))].map(([, rest = '']) => rest);

  test('ends with an image without a shell, in which nothing is run or fetched', () => {
    expect(last).toMatch(/^\nFROM gcr\.io\/distroless\/cc-debian12:nonroot$/m);
    expect(instructions('RUN')).toEqual([]);
    for (const copied of instructions('COPY')) expect(copied).toContain('--from=build');
  });

  test('runs as a user without rights, who owns nothing but the volume', () => {
    expect(instructions('USER')).toEqual(['65532:65532']);
    const owned = instructions('COPY').filter((copied) => copied.includes('--chown'));
    expect(owned).toEqual(['--from=build --chown=65532:65532 /data /data']);
    expect(instructions('VOLUME')).toEqual(['/data']);
    expect(instructions('WORKDIR')).toEqual(['/data']);
  });

  test('asks for the server with exec forms, for there is no shell', () => {
    for (const name of ['ENTRYPOINT', 'CMD']) expect(instructions(name)[0]).toMatch(/^\[".*"\]$/);
    expect(instructions('HEALTHCHECK')[0]).toMatch(/ CMD \[".*healthcheck\.mjs"\]$/);
  });

  test('sets variables that the server reads', () => {
    const set = instructions('ENV').flatMap((line) => line.split(' ').map((one) => one.split('=')));
    expect(set.length).toBeGreaterThan(1);
    for (const [name = ''] of set) expect(variables).toContain(name);
  });

  test('is given what the build reads, and no file that git does not know', () => {
    const given = [...read('packaging/Dockerfile.dockerignore').matchAll(/^!(.+)$/gm)].map(
      ([, path = '']) => path,
    );
    expect(given.filter((path) => !existsSync(inRoot(path)))).toEqual([]);
    const members = /members = \[([^\]]*)\]/.exec(read('Cargo.toml'))?.[1];
    for (const [, member = ''] of members?.matchAll(/"([^"]+)"/g) ?? []) {
      expect(given.some((path) => path === member || member.startsWith(`${path}/`))).toBe(true);
    }
    for (const path of ['Cargo.lock', 'build.rs', 'crates', 'src', 'page', 'scripts', 'npm']) {
      expect(given).toContain(path);
    }
    expect(given.filter((path) => /^(native|dist|node_modules|target)$/.test(path))).toEqual([]);
  });
});

describe('the check of health', () => {
  const check = inRoot('packaging', 'healthcheck.mjs');
  const exitCode = async (address: string): Promise<number> => {
    const env = { SVC_HTTP_ADDR: address };
    return run(process.execPath, [check], { env }).then(
      () => 0,
      (error) => error.code,
    );
  };

  test('passes while the server answers, by any name of the machine, and fails after', async () => {
    const server = await startServer();
    onTestFinished(server.remove);
    const { port } = new URL(server.url);

    for (const host of ['127.0.0.1', '0.0.0.0', 'localhost', '']) {
      expect(await exitCode(`${host}:${port}`), host).toBe(0);
    }
    await server.stop();
    expect(await exitCode(`127.0.0.1:${port}`)).toBe(1);
  });

  test.each([
    {},
    { SVC_HTTP_ADDR: '' },
    { SVC_HTTP_ADDR: 'localhost:7' },
    { SVC_HTTP_ADDR: '[::1]:7' },
  ])('asks where the server listens with %j', async (env) => {
    const hook = `import http from 'node:http';
      import { syncBuiltinESMExports } from 'node:module';
      http.get = ({ host, port }) => {
        console.log(JSON.stringify({ host, port: Number(port) }));
        process.exit(0);
      };
      syncBuiltinESMExports();`;
    const words = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, check];
    const { stdout } = await run(process.execPath, words, { env });
    const { httpAddr } = loadConfig({ given: new Map(), env, readFile: () => undefined });
    expect(JSON.parse(stdout)).toEqual(httpAddr);
  });

  test('passes while the server encrypts, wherever it was told to', async () => {
    const file = (name: string): string => inRoot('__test__', 'fixtures', 'tls', name);
    const pair = ['--ssl-cert-path', file('server.pem'), '--ssl-key-path', file('server-key.pem')];
    const server = await startServer({
      args: pair,
      tls: { ca: read('__test__/fixtures/tls/ca.pem') },
    });
    onTestFinished(server.remove);
    expect(await exitCode(`127.0.0.1:${new URL(server.url).port}`)).toBe(0);
  });
});

test('the unit of systemd sets variables that the server reads, and writes below its own folder', () => {
  const unit = read('packaging/serval.service');
  const set = [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)];

  expect(set.length).toBeGreaterThan(3);
  for (const [, name = '', value = ''] of set) {
    expect(variables).toContain(name);
    if (value.startsWith('/')) expect(value).toMatch(/^\/var\/lib\/serval\//);
  }
});

test('the memory for indexing follows the limit of a container, where there is one', () => {
  const gib = 2 ** 30;
  expect(usableMemory(8 * gib, 2 * gib)).toBe(2 * gib);
  expect(usableMemory(8 * gib, 0)).toBe(8 * gib);
  expect(usableMemory(8 * gib, 2 ** 64)).toBe(8 * gib);
  expect(usableMemory()).toBeGreaterThan(0);
});
