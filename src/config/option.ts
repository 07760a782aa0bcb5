import { flag, nonEmptyText, type Reader } from './readers.js';

/** One launch option. Its flag, variable and file key are derived from its name. */
export interface Option<T> {
  readonly read: Reader<T>;
  /** Used when nothing is given; `undefined` where an option has no value by itself. */
  readonly otherwise: T;
  readonly help: string;
  /** What `--help` shows as the default, where the value alone would tell little. */
  readonly shownDefault?: string;
  /** Given by its flag alone, this value is read. */
  readonly alone?: string;
  /** Whether its flag never takes a value. */
  readonly isSwitch?: boolean;
  /** Its variable, where that does not follow from the name. */
  readonly variable?: string;
  /** A variable of others that is read when its own one is not set. */
  readonly sharedVariable?: string;
  /** Names it had before: their flags, variables and file keys are still taken. */
  readonly formerly?: readonly string[];
  /** Whether an empty variable is a value too, instead of none. */
  readonly mayBeEmpty?: boolean;
  /** Whether it is set by its variable alone. */
  readonly variableOnly?: boolean;
  /** Whether its value must not be shown anywhere. */
  readonly isSecret?: boolean;
}

/** What an option may say beside how it is read, its default and its help. */
type Extras = Omit<Option<unknown>, 'read' | 'otherwise' | 'help'>;

/** An option with a default. */
export function option<T>(
  read: Reader<T>,
  otherwise: T,
  help: string,
  extras: Extras = {},
): Option<T> {
  return { read, otherwise, help, ...extras };
}

/** An option that is off unless it is given. */
export function toggle(help: string, extras: Extras = {}): Option<boolean> {
  return { ...option(flag, false, help), alone: 'true', isSwitch: true, ...extras };
}

/** A text that may be left out. */
export function optional(help: string, extras: Extras = {}): Option<string | undefined> {
  return option<string | undefined>(nonEmptyText, undefined, help, extras);
}

/** Any options by name, with the types of their values kept. */
export type Options = Record<string, Option<never> | Option<unknown>>;
