/** The numbers of a body that JavaScript takes for integers and the wire does not, by their path. */
export type WholeFloats = ReadonlyMap<string, string>;

/** Texts without any of these have none: a fraction of zeros, an exponent, -0, more than 18 digits. */
const MAY_HAVE = /\d\.0*(?!\d)|\d[eE]|-0(?!\.)|\d{19}/;
const TOKEN =
  /[\s,:]*(?:("(?:[^"\\]|\\.)*")(?=(\s*:)?)|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|([[{])|([\]}])|[a-z]+)/y;
const LARGEST = 2n ** 64n - 1n;
const SMALLEST = -(2n ** 63n);
const FIRST_WITH_EXPONENT = 1e16;

/** A list or an object that the walk is in. */
interface Level {
  readonly path: string;
  /** How many elements of a list came before; `undefined` in an object. */
  index: number | undefined;
  /** The name that was read last, in an object. */
  name: string;
}

/**
 * Finds the whole numbers that a JSON text writes as fractions, or that do not fit 64 bits: to the
 * reader of bodies `1.0` is no integer, while `JSON.parse` makes it one. Each path leads to the number
 * as messages show it. The text must be JSON.
 */
export function wholeFloats(text: string): WholeFloats {
  const found = new Map<string, string>();
  if (!MAY_HAVE.test(text)) return found;
  const levels: Level[] = [];
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    const [, string, isName, number, open, close] = token;
    const level = levels.at(-1);
    if (close !== undefined) {
      levels.pop();
      continue;
    }
    if (level !== undefined && string !== undefined && isName !== undefined) {
      level.name = JSON.parse(string);
      continue;
    }
    const path = pathOf(level);
    const shown = number === undefined ? undefined : shownAsFloat(number);
    if (shown === undefined) found.delete(path);
    else found.set(path, shown);
    if (open !== undefined) levels.push({ path, index: open === '[' ? 0 : undefined, name: '' });
  }
  return found;
}

/** The path of the value that comes next. */
function pathOf(level: Level | undefined): string {
  if (level === undefined) return '';
  if (level.index === undefined) return `${level.path}.${level.name}`;
  level.index += 1;
  return `${level.path}[${level.index - 1}]`;
}

/** How messages show a number that is whole, but no integer; `undefined` for all others. */
function shownAsFloat(literal: string): string | undefined {
  const value = Number(literal);
  if (!Number.isInteger(value)) return undefined;
  if (literal === '-0' || (Object.is(value, -0) && /[.eE]/.test(literal))) return '-0.0';
  if (!/[.eE]/.test(literal)) {
    const whole = BigInt(literal);
    if (whole <= LARGEST && whole >= SMALLEST) return undefined;
  }
  return Math.abs(value) < FIRST_WITH_EXPONENT ? `${value}.0` : value.toExponential();
}
