import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { startServer } from '../../scripts/server-process.mjs';
import { ask, MASTER_KEY } from '../server/talk.js';
import { serval, workFolder } from './run-cli.js';

const run = promisify(execFile);
const MINUTE_MS = 60_000;

let server: Awaited<ReturnType<typeof startServer>>;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startServer({ masterKey: MASTER_KEY });
  env = { SVC_URL: server.url, SVC_API_KEY: MASTER_KEY };
});

afterAll(() => server.remove());

const documents = async (uid: string): Promise<unknown[]> =>
  (await ask<{ results: unknown[] }>(`${server.url}/indexes/${uid}/documents?limit=1000`)).results;

/** Imports a file of some bytes, in small batches. */
async function imported(name: string, bytes: string | Buffer, ...more: string[]) {
  const cwd = workFolder();
  writeFileSync(join(cwd, name), bytes);
  return serval(['import', name, '--batch-size', '10', ...more], { cwd, env });
}

describe('a file that is imported', { timeout: MINUTE_MS }, () => {
  const one = [{ id: 1, t: 'a' }];

  test.each([
    ['may begin with a byte order mark', 'mark.ndjson', '\ufeff{"id":1,"t":"a"}\n', one],
    ['may begin with a byte order mark, as JSON', 'mark.json', '\ufeff[{"id":1,"t":"a"}]', one],
    ['has tabs where its name ends in .tsv', 'tabs.tsv', 'id\tt\n1\ta\n', [{ id: '1', t: 'a' }]],
    ['has lines that end as those of old', 'old.csv', 'id,t\r1,a\r', [{ id: '1', t: 'a' }]],
    ['is decompressed without such a name', 'packed.ndjson', gzipSync('{"id":1,"t":"a"}'), one],
    ['is read where its name says wrongly .gz', 'plain.ndjson.gz', '{"id":1,"t":"a"}', one],
    [
      'may have quotes inside of fields, and lines inside of quotes',
      'inches.csv',
      'id,t,u\n1,5" disk,x\n2,"a\nb",y\n3,"c ""d""\n",z\n4,e,f\n',
      [
        { id: '1', t: '5" disk', u: 'x' },
        { id: '2', t: 'a\nb', u: 'y' },
        { id: '3', t: 'c "d"\n', u: 'z' },
        { id: '4', t: 'e', u: 'f' },
      ],
    ],
  ])('%s', async (_, name, bytes, rows) => {
    const { code, err } = await imported(name, bytes);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(await documents(name.split('.')[0] ?? '')).toEqual(rows);
  });

  test('has the delimiter that is given, a tab as \\t', async () => {
    const { code, err } = await imported('other.csv', 'id\tt\n1\ta\n', '--csv-delimiter', '\\t');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(await documents('other')).toEqual([{ id: '1', t: 'a' }]);
    expect(await imported('other.csv', 'id', '--csv-delimiter', ';;')).toMatchObject({ code: 2 });
  });

  test('may be a pipe', async () => {
    const command = `"${process.execPath}" "${inRoot('dist', 'cli.js')}" import <(echo '{"id":1}') --format ndjson --index piped`;
    await run('bash', ['-c', command], { env: { ...process.env, ...env } });
    expect(await documents('piped')).toEqual([{ id: 1 }]);
  });

  const cut = gzipSync(JSON.stringify(Array.from({ length: 9 }, (_, id) => ({ id })))).subarray(
    0,
    30,
  );

  test.each([
    [
      'in UTF-16',
      'wide.csv',
      Buffer.from('\ufeffid,t\n1,a\n', 'utf16le'),
      /^serval: wide.csv is not in UTF-8/,
    ],
    ['in UTF-16 without a mark', 'wide.json', Buffer.from('[{"id":1}]', 'utf16le'), /not in UTF-8/],
    [
      'that is cut, compressed',
      'cut.json.gz',
      cut,
      /^serval: cut.json.gz cannot be decompressed: /,
    ],
    [
      'that is cut between documents',
      'cut.json',
      '[{"id":1},{"id":2}',
      /^serval: cut.json\b.* was cut$/m,
    ],
    [
      'that is wrong somewhere',
      'wrong.ndjson',
      '{"id":1}\n{"id":2}\n{"id":',
      /^serval: wrong.ndjson behind the first 2 documents, which were sent: The `ndjson` payload/,
    ],
  ])('is refused by its name when it is one %s', async (_, name, bytes, reason) => {
    const { code, err } = await imported(name, bytes);
    expect(code).toBe(1);
    expect(err).toMatch(reason);
    expect(err).not.toContain('    at ');
  });

  test('is given up at an interrupt, also while nothing comes', async () => {
    const args = ['import', '-', '--format', 'ndjson', '--index', 'x'];
    const child = spawn(process.execPath, [inRoot('dist', 'cli.js'), ...args], {
      env: { ...process.env, ...env },
    });
    const ended = once(child, 'close');
    child.stdin.write('{"id":1}\n{"id":2}\n');
    const early = await Promise.race([ended, delay(1000)]);
    child.kill('SIGINT');
    const [code] = await ended;
    child.stdin.destroy();
    expect({ early, code }).toEqual({ early: undefined, code: 130 });
  });
});

describe('a file that is exported', () => {
  test('replaces the one that was there once it is complete, and not at all when it fails', async () => {
    await imported('rows.ndjson', '{"id":1}\n');
    const cwd = workFolder();
    writeFileSync(join(cwd, 'kept.ndjson'), 'old');
    symlinkSync('kept.ndjson', join(cwd, 'link.ndjson'));
    const failed = await serval(['export', 'nothing', '-o', 'link.ndjson'], { cwd, env });
    const kept = readFileSync(join(cwd, 'kept.ndjson'), 'utf8');
    const done = await serval(['export', 'rows', '-o', 'link.ndjson'], { cwd, env });

    expect([failed.code, kept, done.code]).toEqual([5, 'old', 0]);
    expect(readFileSync(join(cwd, 'kept.ndjson'), 'utf8')).toBe('{"id":1}\n');
    expect(readdirSync(cwd).toSorted()).toEqual(['kept.ndjson', 'link.ndjson']);
  });
});

describe('output that nobody takes', () => {
  const cli = `"${process.execPath}" "${inRoot('dist', 'cli.js')}"`;

  test.each([
    ['ends a command quietly where the reader has seen enough', '| true', '0 0\n', /^$/],
    [
      'is told where the disk is full',
      '> /dev/full',
      '1\n',
      /^(serval: the result cannot be written: ENOSPC.*\n){2}$/,
    ],
  ])('%s', async (_, to, ended, said) => {
    const script = `${cli} --help ${to}; a=("\${PIPESTATUS[@]}"); ${cli} help ${to}; echo "\${a[@]}"`;
    const { stdout, stderr } = await run('bash', ['-c', script]);
    expect(stdout).toBe(ended);
    expect(stderr).toMatch(said);
  });
});

test('a copy from a server that does not answer makes no data folder', async () => {
  const cwd = workFolder();
  const args = ['import', '--from', 'http://127.0.0.1:9', '--db-path', 'new'];
  expect(await serval(args, { cwd })).toMatchObject({ code: 3 });
  expect(readdirSync(cwd)).toEqual([]);
});

test('a server that hangs up on a large body makes the command name what may be too large', async () => {
  const rude = createServer((connection) => {
    connection.once('data', () => connection.destroy()).on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(rude, 'listening');
  const { port } = rude.address() as AddressInfo;
  const large = `{"id":1,"t":"${'x'.repeat(3 * 2 ** 20)}"}\n`;
  const { code, err } = await imported('large.ndjson', large, '--url', `http://127.0.0.1:${port}`);
  rude.close();
  expect(code).toBe(3);
  expect(err).toContain('does it take as much at once? See --batch-size');
});

test('an empty variable counts as not set', async () => {
  const nowhere = await serval(['keys'], { env: { SVC_URL: '', SVC_API_KEY: '' } });
  expect(nowhere.err).not.toContain('is not the address');
  const keyless = await serval(['keys'], { env: { ...env, SVC_API_KEY: '' } });
  expect(keyless.err).toContain('Authorization header is missing');
});

test('the uids of keys are never cut, since they are copied', async () => {
  const { out } = await serval(['keys'], { env });
  expect(out.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g)).toHaveLength(4);
});
