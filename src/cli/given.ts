import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type Environment, setVariable } from '../config/environment.js';
import { closestWord } from '../validation/did-you-mean.js';
import { type CommandOptions, SHARED_OPTIONS } from './command.js';
import { usageError } from './exit-code.js';

/** The read command line of a command. */
export class Given {
  readonly words: readonly string[];
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #options: CommandOptions;
  readonly #env: Environment;

  constructor(words: readonly string[], options: CommandOptions, env: Environment) {
    this.#options = { ...options, ...SHARED_OPTIONS };
    this.#env = env;
    const { values, positionals } = parsed(words, this.#options);
    this.words = positionals;
    this.#values = values;
  }

  /** Whether a switch is given. */
  has(name: string): boolean {
    return this.#values[name] === true;
  }

  /** Whether an option stands on the command line. */
  isGiven(name: string): boolean {
    return this.#values[name] !== undefined;
  }

  /** The value of an option, given or from its variable. */
  text(name: string): string | undefined {
    const given = this.#values[name];
    const { variable, choices } = this.#options[name] ?? {};
    const value = typeof given === 'string' ? given : setVariable(this.#env, variable ?? '');
    if (value === undefined || choices === undefined || choices.includes(value)) return value;
    throw usageError(`--${name} is one of ${choices.join(', ')}, not ${value}`);
  }

  /** The values of an option that may be given more than once, or with commas. */
  list(name: string): readonly string[] {
    const given = this.#values[name];
    return Array.isArray(given) ? given.flatMap((one) => String(one).split(',')) : [];
  }

  /** The values of an option that may be given more than once, as they are. */
  each(name: string): readonly string[] {
    const given = this.#values[name];
    return Array.isArray(given) ? given.map(String) : [];
  }

  /** A whole number from `least` on. */
  integer(name: string, otherwise: number, least = 0): number {
    const text = this.text(name);
    if (text === undefined) return otherwise;
    if (/^\d+$/.test(text) && Number(text) >= least) return Number(text);
    throw usageError(`--${name} is a whole number from ${least} on, not ${text}`);
  }

  /** The word at a place after the options. */
  word(at: number, what: string): string {
    const word = this.words[at];
    if (word === undefined) throw usageError(`${what} is missing`);
    return word;
  }

  /** Refuses words that the command does not take. */
  atMost(words: number): void {
    const extra = this.words[words];
    if (extra !== undefined) throw usageError(`unexpected ${JSON.stringify(extra)}`);
  }
}

function parsed(words: readonly string[], options: CommandOptions) {
  const known: NonNullable<ParseArgsConfig['options']> = {};
  for (const [name, { value, short, isList = false }] of Object.entries(options)) {
    const type = value === undefined ? 'boolean' : 'string';
    known[name] = { type, multiple: isList, ...(short === undefined ? {} : { short }) };
  }
  refuseUnknown(words, options);
  try {
    return parseArgs({ args: [...words], options: known, allowPositionals: true });
  } catch (error) {
    const [reason = ''] = (error as Error).message.split(/\.\s/);
    throw usageError(reason.replace(/^./, (letter) => letter.toLowerCase()));
  }
}

function refuseUnknown(words: readonly string[], options: CommandOptions): void {
  const end = words.indexOf('--');
  for (const word of end === -1 ? words : words.slice(0, end)) {
    const name = /^--([^=]+)/.exec(word)?.[1];
    if (name === undefined || Object.hasOwn(options, name)) continue;
    const close = closestWord(name, Object.keys(options));
    const hint = close === undefined ? '' : `, did you mean --${close}?`;
    throw usageError(`unknown option --${name}${hint}`);
  }
}
