import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';

const CLI = inRoot('dist', 'cli.js');

/** How a command is run. */
export interface Run {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Buffer;
  /** Called with the process, to interrupt it. */
  readonly watch?: (kill: (signal: NodeJS.Signals) => void) => void;
}

/** What a command said, and how it ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the built command line as a process of its own. */
export async function serval(args: readonly string[], run: Run = {}): Promise<Ended> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'));
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: run.cwd ?? tmpdir(),
    env: { ...Object.fromEntries(inherited), ...run.env },
  });
  run.watch?.((signal) => child.kill(signal));
  child.stdin.end(run.input ?? '');
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, err };
}

/** A folder that is removed after the test. */
export function workFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'serval-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
