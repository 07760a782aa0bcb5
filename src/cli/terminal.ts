import { type Environment, setVariable } from '../config/environment.js';

/** Where a command writes, as far as it matters here. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** How wide text is when nothing says how wide the terminal is; some terminals say zero. */
const DEFAULT_COLUMNS = 100;

/** What the user sees: results on one stream, everything else on the other. */
export class Terminal {
  readonly #out: Output;
  readonly #err: Output;
  readonly #hasColours: boolean;

  constructor(out: Output, err: Output, env: Environment) {
    this.#out = out;
    this.#err = err;
    const isPlain = setVariable(env, 'NO_COLOR') !== undefined;
    this.#hasColours = out.isTTY === true && !isPlain && env.TERM !== 'dumb';
  }

  /** Whether somebody watches while a command runs. */
  get isWatched(): boolean {
    return this.#err.isTTY === true;
  }

  get columns(): number {
    return this.#out.columns || DEFAULT_COLUMNS;
  }

  /** The width of lines that are written over. */
  get progressColumns(): number {
    return this.#err.columns || DEFAULT_COLUMNS;
  }

  /** A line of the result. */
  print(line = ''): void {
    this.#out.write(`${line}\n`);
  }

  /** The result as JSON. */
  printJson(value: unknown): void {
    this.print(JSON.stringify(value, null, this.#out.isTTY === true ? 2 : undefined));
  }

  /** A remark that is not part of the result. */
  remark(line: string): void {
    this.#err.write(`${line}\n`);
  }

  /** Replaces the line that is being written; only where somebody watches. */
  overwrite(text: string): void {
    if (this.isWatched) this.#err.write(`\r\u001b[2K${text}`);
  }

  bold(text: string): string {
    return this.#styled(text, 1, 22);
  }

  dim(text: string): string {
    return this.#styled(text, 2, 22);
  }

  good(text: string): string {
    return this.#styled(text, 32, 39);
  }

  bad(text: string): string {
    return this.#styled(text, 31, 39);
  }

  marked(text: string): string {
    return this.#styled(text, 33, 39);
  }

  #styled(text: string, on: number, off: number): string {
    return this.#hasColours ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  }
}
