import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inRoot } from '../../scripts/paths.mjs';

/** Kinds of calls that can fail, as `failing-calls.c` numbers them. */
export const CALLS = { open: 1, write: 2, sync: 4, rename: 8 } as const;

/** A kind of call. */
export type Call = keyof typeof CALLS;

/** Numbers of errors on Linux. */
export const ERRORS = { EIO: 5, ENFILE: 23, EMFILE: 24, ENOSPC: 28 } as const;

/** Which calls fail, and how. */
export interface Choice {
  readonly calls: readonly Call[];
  readonly error: keyof typeof ERRORS;
  /** A part of the paths of files, below the folder; all files when absent. */
  readonly text?: string;
  /** Chosen calls that still succeed. */
  readonly skipped?: number;
  /** How many fail then; all when absent. */
  readonly failures?: number;
}

const NUMBERS = 6;
const ROOT_BYTES = 512;
const TEXT_BYTES = 64;
const ALL = 0x7fffffff;

/** Whether calls of a server can be made to fail here. */
export const CAN_FAIL = process.platform === 'linux';

/** Lets calls of the system fail in processes that are started with `env`. */
export class FailingCalls {
  readonly env: Record<string, string>;
  readonly #folder = mkdtempSync(join(tmpdir(), 'serval-calls-'));
  readonly #root: string;
  readonly #fd: number;

  /** `root` is the folder in which files are chosen. */
  constructor(root: string) {
    this.#root = root;
    const library = join(this.#folder, 'failing-calls.so');
    const source = inRoot('__test__/faults/failing-calls.c');
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl']);
    const file = join(this.#folder, 'choice');
    this.#fd = openSync(file, 'w+');
    writeSync(this.#fd, Buffer.alloc(4 * NUMBERS + ROOT_BYTES + TEXT_BYTES), 0, undefined, 0);
    this.env = { LD_PRELOAD: library, FAILING_CALLS: file };
  }

  /** From now on, chosen calls fail. */
  begin({ calls, error, text = '', skipped = 0, failures = ALL }: Choice): void {
    this.end();
    const kinds = calls.reduce((sum, call) => sum | CALLS[call], 0);
    const bytes = Buffer.alloc(4 * NUMBERS + ROOT_BYTES + TEXT_BYTES);
    for (const [place, value] of [0, kinds, ERRORS[error], skipped, failures, 0].entries()) {
      bytes.writeInt32LE(value, 4 * place);
    }
    bytes.write(this.#root, 4 * NUMBERS);
    bytes.write(text, 4 * NUMBERS + ROOT_BYTES);
    writeSync(this.#fd, bytes, 4, undefined, 4);
    writeSync(this.#fd, Buffer.from([1, 0, 0, 0]), 0, 4, 0);
  }

  /** From now on, all calls do what they do; how many chosen calls there were. */
  end(): number {
    writeSync(this.#fd, Buffer.alloc(4), 0, 4, 0);
    return this.seen();
  }

  /** How many chosen calls there were so far. */
  seen(): number {
    const seen = Buffer.alloc(4);
    readSync(this.#fd, seen, 0, 4, 4 * (NUMBERS - 1));
    return seen.readInt32LE();
  }

  remove(): void {
    closeSync(this.#fd);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
