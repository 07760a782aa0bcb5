import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensurePythonClient, hasPython, PYTHON_CHECKS } from '../../scripts/python-client.mjs';
import { startServer } from '../../scripts/server-process.mjs';
import { type ChatService, startChatService } from './chat-service.js';

const run = promisify(execFile);
const MASTER = 'a-master-key-for-tests';
const MINUTE_MS = 60_000;

/** What the checks print, a line each. */
interface Outcome {
  check: string;
  error: string | null;
}

const python = await hasPython();
let server: Awaited<ReturnType<typeof startServer>>;
let chatService: ChatService;
let interpreter: string;

beforeAll(async () => {
  if (!python) return;
  const args = ['--experimental-allowed-ip-networks', '127.0.0.0/8'];
  [interpreter, server, chatService] = await Promise.all([
    ensurePythonClient(),
    startServer({ masterKey: MASTER, args }),
    startChatService(),
  ]);
}, 6 * MINUTE_MS);
afterAll(async () => {
  chatService?.close();
  await server?.remove();
});

const name = python
  ? 'every method of the Python client does what it says'
  : 'the Python client is not checked: there is no python3 on the PATH';

test(name, { timeout: 3 * MINUTE_MS }, async () => {
  if (!python) return;
  const args = ['-B', 'run_checks.py', server.url, MASTER, chatService.url];
  const { stdout } = await run(interpreter, args, { cwd: PYTHON_CHECKS });
  const outcomes = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Outcome);

  expect(outcomes.filter(({ error }) => error !== null)).toEqual([]);
  expect(outcomes.length).toBeGreaterThan(100);
});
