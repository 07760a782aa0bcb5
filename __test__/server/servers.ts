import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { startServer } from '../../scripts/server-process.mjs';
import { MASTER_KEY } from './talk.js';

/** A server process of a test. */
export type Server = Awaited<ReturnType<typeof startServer>>;

/** An empty folder that is gone when the test ends. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'serval-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A server on a data folder, with the master key of tests; killed when the test ends. */
export async function start(folder: string, ...args: string[]): Promise<Server> {
  const server = await startServer({ folder, args, masterKey: MASTER_KEY });
  onTestFinished(async () => {
    await server.stop('SIGKILL');
  });
  return server;
}

/** The five hundred films of the fixtures. */
export async function films(): Promise<Record<string, unknown>[]> {
  const text = await readFile(inRoot('__test__/fixtures/movies-500.ndjson'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
