/** Levels by name, as numbers that grow with importance; nothing reaches `off`. */
export const LOG_LEVELS = {
  trace: 10,
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  off: 100,
} as const;

/** The name of a level. */
export type LogLevel = keyof typeof LOG_LEVELS;

/** Names by the digits that also stand for them. */
const BY_DIGIT: readonly LogLevel[] = ['off', 'error', 'warn', 'info', 'debug', 'trace'];

/** Which records are let through: those of a part of the server, from a level on. */
interface Directive {
  /** `undefined` for all parts that no other directive names. */
  readonly part: string | undefined;
  readonly level: LogLevel;
}

/** Chooses records by the part of the server that they come from and by their level. */
export class LogTarget {
  /** The directives with the longest names come first. */
  readonly #directives: readonly Directive[];

  private constructor(directives: readonly Directive[]) {
    const length = ({ part }: Directive): number => part?.length ?? -1;
    this.#directives = directives.toSorted((a, b) => length(b) - length(a));
  }

  /** Everything from a level on. */
  static of(level: LogLevel): LogTarget {
    return new LogTarget([{ part: undefined, level }]);
  }

  /** Reads a list like `info` or `warn,http=debug`; a text is why it cannot be read. */
  static read(text: string): LogTarget | string {
    if (text === '') return EMPTY;
    const directives: Directive[] = [];
    for (const item of text.split(',')) {
      const read = readDirective(item.trim());
      if (typeof read === 'string') return `invalid filter directive: ${read}`;
      directives.push(read);
    }
    return new LogTarget(directives);
  }

  /** The least important level that gets through from anywhere. */
  get least(): LogLevel {
    const levels = this.#directives.map(({ level }) => level);
    return levels.reduce((a, b) => (LOG_LEVELS[a] <= LOG_LEVELS[b] ? a : b), 'off');
  }

  /** Whether a record gets through. */
  passes(part: string, level: number): boolean {
    const directive = this.#directives.find(
      (one) => one.part === undefined || part === one.part || part.startsWith(`${one.part}::`),
    );
    return directive !== undefined && level >= LOG_LEVELS[directive.level];
  }
}

const EMPTY =
  'Empty string is not a valid target. If you want to get no logs use `OFF`. Usage: `info`, `<crate>=info`, or you can write multiple filters in one target: `<crate_a>=info,<crate_b>=trace`';

function readDirective(text: string): Directive | string {
  const [part = '', level, ...rest] = text.split('=');
  if (rest.length > 0) return "too many '=' in filter directive, expected 0 or 1";
  if (level === undefined) {
    const alone = levelOf(part);
    return alone === undefined ? { part, level: 'trace' } : { part: undefined, level: alone };
  }
  const found = levelOf(level);
  if (found !== undefined) return { part, level: found };
  return 'error parsing level filter: expected one of "off", "error", "warn", "info", "debug", "trace", or a number 0-5';
}

function levelOf(text: string): LogLevel | undefined {
  const word = text.toLowerCase();
  return BY_DIGIT.find((level, digit) => level === word || String(digit) === word);
}
