import { closestWord } from '../validation/did-you-mean.js';
import { ConfigError } from './config-error.js';
import { flagOf, namesBy, type OptionName, optionOf } from './options.js';

/** What a command line asks for. */
export type CommandLine =
  | { readonly kind: 'run'; readonly given: ReadonlyMap<OptionName, string> }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' };

const NAME_BY_FLAG = namesBy((name) => `--${flagOf(name)}`);

/** The word that may stand before the options, as the name of the command. */
const COMMAND = 'serve';

/** Reads a command line, without the program. */
export function readArguments(given: readonly string[]): CommandLine {
  return readOptions(given[0] === COMMAND ? given.slice(1) : given);
}

function readOptions(words: readonly string[]): CommandLine {
  if (words.some((word) => word === '--help' || word === '-h')) return { kind: 'help' };
  if (words.some((word) => word === '--version' || word === '-V')) return { kind: 'version' };
  const given = new Map<OptionName, string>();
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [flag = '', ...valueParts] = word.split('=');
    const name = NAME_BY_FLAG.get(flag);
    if (name === undefined) throw unknownFlag(flag);
    if (given.has(name)) throw new ConfigError(`${flag} is given twice`);
    given.set(name, valueParts.length > 0 ? valueParts.join('=') : nextValue(name, rest));
  }
  return { kind: 'run', given };
}

/** The value after a flag; flags that can stand alone take none that looks like another flag. */
function nextValue(name: OptionName, rest: string[]): string {
  const { alone, isSwitch } = optionOf(name);
  const [next] = rest;
  if (alone !== undefined && isSwitch === true) return alone;
  if (alone !== undefined && (next === undefined || next.startsWith('--'))) return alone;
  // `--master-key $KEY --no-analytics` without a KEY is no choice of a key.
  if (next === undefined || NAME_BY_FLAG.has(next.split('=')[0] ?? '')) {
    throw new ConfigError(`--${flagOf(name)} needs a value`);
  }
  rest.shift();
  return next;
}

function unknownFlag(flag: string): ConfigError {
  const close = closestWord(flag, [...NAME_BY_FLAG.keys()]);
  const hint = close === undefined ? '.' : `, did you mean ${close}?`;
  return new ConfigError(`unknown option ${flag}${hint} See --help for all options.`);
}
