import type { Given } from './given.js';
import type { Terminal } from './terminal.js';

/** One option of a command. */
export interface CommandOption {
  readonly help: string;
  /** Stands for the value in `--help`; without one the option is a switch. */
  readonly value?: string;
  readonly short?: string;
  /** May be given more than once. */
  readonly isList?: boolean;
  /** The only values there are. */
  readonly choices?: readonly string[];
  /** Variable that it is taken from when it is not given. */
  readonly variable?: string;
}

/** Options by name, without the dashes. */
export type CommandOptions = Readonly<Record<string, CommandOption>>;

/** What a command is given beside its command line. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
}

/** One command: a file of this folder. */
export interface Command {
  readonly name: string;
  /** What it does, in a few words. */
  readonly summary: string;
  /** Its command lines after `serval`. */
  readonly usage: readonly string[];
  /** More about it, for `--help`. */
  readonly about?: string;
  /** What its first word may be, where it is one of a few. */
  readonly firstWords?: readonly string[];
  readonly options: CommandOptions;
  readonly run: (given: Given, context: CommandContext) => Promise<void>;
}

/** Options of every command. */
export const SHARED_OPTIONS = {
  json: { help: 'Print the result as JSON' },
  help: { help: 'Print this text', short: 'h' },
} as const satisfies CommandOptions;

/** Options of commands that talk to a running server. */
export const SERVER_OPTIONS = {
  url: {
    help: 'Address of the server (default: http://127.0.0.1:7700)',
    value: 'URL',
    variable: 'SVC_URL',
  },
  'api-key': { help: 'Key for the server', value: 'KEY', variable: 'SVC_API_KEY' },
} as const satisfies CommandOptions;

/** Options of commands that work on a running server or on a data folder of which none runs. */
export const TARGET_OPTIONS = {
  ...SERVER_OPTIONS,
  'db-path': { help: 'Work on this data folder instead of a server', value: 'DIR' },
} as const satisfies CommandOptions;
