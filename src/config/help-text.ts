import { flagOf, OPTION_GROUPS, type OptionName, optionOf, variableOf } from './options.js';

const INTRODUCTION = `serval: a search engine server

Usage: serval [serve] [options]
       serval COMMAND [options]

Commands beside the server: import, export, dump, snapshot, keys, search, check, bench, completions.
serval help tells about them, serval COMMAND --help about one.

An option is taken from the command line, else from its variable in [brackets], else from the
configuration file (keys like http_addr), else by default.
`;

const LAST = `  -V, --version
      Print the version
  -h, --help
      Print this text
`;

/** The text of `--help`. */
export function helpText(): string {
  const groups = OPTION_GROUPS.map(
    ([heading, names]) => `${heading}\n${names.map(entry).join('')}`,
  );
  return [INTRODUCTION, ...groups, LAST].join('\n');
}

function entry(name: OptionName): string {
  const { help, variableOnly } = optionOf(name);
  const variable = variableOf(name);
  const heading = variableOnly === true ? variable : `${shownFlag(name)}  [${variable}]`;
  return `  ${heading}\n      ${help}${shownDefaultOf(name)}\n`;
}

function shownFlag(name: OptionName): string {
  const { alone, isSwitch } = optionOf(name);
  if (isSwitch === true) return `--${flagOf(name)}`;
  return `--${flagOf(name)} ${alone === undefined ? '<value>' : '[value]'}`;
}

/** The default of an option in words; switches are off, which goes without saying. */
function shownDefaultOf(name: OptionName): string {
  const { otherwise, shownDefault, isSwitch } = optionOf(name);
  const shown = shownDefault ?? (otherwise === undefined ? undefined : String(otherwise));
  return shown === undefined || isSwitch === true ? '' : ` (default: ${shown})`;
}
