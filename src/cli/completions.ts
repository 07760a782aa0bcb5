import { flagOf, OPTION_NAMES, optionOf } from '../config/options.js';
import {
  type Command,
  type CommandOption,
  type CommandOptions,
  SHARED_OPTIONS,
} from './command.js';
import { usageError } from './exit-code.js';

/** What can be completed: the commands, their first words where these are fixed, and their options. */
type Completed = Pick<Command, 'name' | 'summary' | 'firstWords' | 'options'>;

/** The command that may be left out. */
const SERVE = 'serve';

const SHELLS: Readonly<Record<string, (commands: readonly Completed[]) => string>> = {
  bash,
  zsh,
  fish,
};

/** `serval completions`: a script for the shell, for all the other commands. */
export function completionsCommand(others: readonly Command[]): Command {
  const completions: Command = {
    name: 'completions',
    summary: 'Print a completion script for a shell',
    firstWords: Object.keys(SHELLS),
    usage: ['completions bash|zsh|fish'],
    about: `bash:  serval completions bash > ~/.local/share/bash-completion/completions/serval
zsh:   serval completions zsh > a folder of $fpath, as _serval
fish:  serval completions fish > ~/.config/fish/completions/serval.fish`,
    options: {},
    run: async (given, { terminal }) => {
      given.atMost(1);
      const shell = given.word(0, 'the shell (bash, zsh or fish)');
      const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
      if (script === undefined) throw usageError(`there is no script for ${shell}`);
      terminal.print(script(withServerAndHelp([...others, completions])));
    },
  };
  return completions;
}

/** The commands, and the two that are no file of this folder. */
function withServerAndHelp(commands: readonly Completed[]): Completed[] {
  const serve = { name: SERVE, summary: 'Run the server', options: serverOptions() };
  const all = [serve, ...commands];
  const firstWords = all.map(({ name }) => name);
  return [...all, { name: 'help', summary: 'Tell about a command', firstWords, options: {} }];
}

/** The launch options, as those of a command. */
function serverOptions(): CommandOptions {
  const entries = OPTION_NAMES.filter((name) => optionOf(name).variableOnly !== true).map(
    (name) => {
      const { help, isSwitch } = optionOf(name);
      return [flagOf(name), { help, ...(isSwitch === true ? {} : { value: 'VALUE' }) }] as const;
    },
  );
  return Object.fromEntries(entries);
}

const flagsOf = (options: CommandOptions): string[] =>
  Object.keys({ ...options, ...SHARED_OPTIONS }).map((name) => `--${name}`);

function bash(commands: readonly Completed[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  const values = commands.flatMap(({ name, options }) =>
    Object.entries(options).flatMap(([flag, { value, choices }]) =>
      value === undefined ? [] : [`    ${name}:--${flag}) words="${(choices ?? []).join(' ')}" ;;`],
    ),
  );
  const cases = commands.map(({ name, firstWords, options }) => {
    const all = flagsOf(options).join(' ');
    const first = (firstWords ?? []).join(' ');
    const atFirst = first === '' ? '' : ` [ "$COMP_CWORD" != 2 ] || words="${first} $words" ;`;
    return `      ${name}) words="${all}" ;${atFirst};`;
  });
  return `_serval() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words="${names}"
  if [ "$COMP_CWORD" -gt 1 ] || [ "\${current#-}" != "$current" ]; then
    case "\${COMP_WORDS[1]}:\${COMP_WORDS[COMP_CWORD - 1]}" in
${values.join('\n')}
    *)
      case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
      -*) words="${flagsOf(commands[0]?.options ?? {}).join(' ')}" ;;
      *) words="" ;;
      esac
      ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _serval serval`;
}

function zsh(commands: readonly Completed[]): string {
  const names = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  const cases = commands.map(({ name, firstWords, options }) => {
    const flags = entriesOf(options).map(([flag, { help, value, choices }]) => {
      const shown = help.replaceAll(/[[\]:]/g, (sign) => `\\${sign}`);
      const values = choices === undefined ? '_files' : `(${choices.join(' ')})`;
      return quoted(`--${flag}[${shown}]${value === undefined ? '' : `:${value}:${values}`}`);
    });
    const first = firstWords === undefined ? '' : ` ${quoted(`1:word:(${firstWords.join(' ')})`)}`;
    return `    ${name}) _arguments ${flags.join(' ')}${first} '*:file:_files' ;;`;
  });
  return `#compdef serval
_serval() {
  local -a commands=(
${names.join('\n')}
  )
  local command=$words[2]
  if [[ $command == -* ]]; then
    command=serve
  elif (( CURRENT == 2 )); then
    _describe command commands
    return
  else
    shift words
    (( CURRENT-- ))
  fi
  case $command in
${cases.join('\n')}
  esac
}
_serval "$@"`;
}

function fish(commands: readonly Completed[]): string {
  const first = commands.map(
    ({ name, summary }) =>
      `complete -c serval -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
  );
  const words = commands.flatMap(({ name, firstWords }) =>
    firstWords === undefined
      ? []
      : [`complete -c serval ${after(name, true)} -f -a ${quoted(firstWords.join(' '))}`],
  );
  const flags = commands.flatMap(({ name, options }) =>
    entriesOf(options).map(([flag, { help, value, choices }]) => {
      const among = choices === undefined ? ' -r' : ` -x -a ${quoted(choices.join(' '))}`;
      const takes = value === undefined ? '' : among;
      return `complete -c serval ${after(name)} -l ${flag}${takes} -d ${quoted(help)}`;
    }),
  );
  return [...first, ...words, ...flags].join('\n');
}

/** The condition of fish that a command was given, and nothing after it where its first word is to come. */
function after(name: string, isFirst = false): string {
  const isGiven = name === SERVE ? `string match -qr -- '^(${name}$|-)'` : `test ${name} =`;
  const given = `set -l given (commandline -opc); and ${isGiven} "$given[2]"`;
  const first = isFirst ? '; and test (count $given) = 2' : '';
  const alone = name === SERVE ? '; or test (count $given) = 1' : '';
  return `-n ${quoted(given + first + alone)}`;
}

const entriesOf = (options: CommandOptions): [string, CommandOption][] =>
  Object.entries<CommandOption>({ ...options, ...SHARED_OPTIONS });

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
