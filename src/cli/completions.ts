import { flagOf, OPTION_NAMES, optionOf } from '../config/options.js';
import { type Command, type CommandOptions, SHARED_OPTIONS } from './command.js';
import { usageError } from './exit-code.js';

/** What can be completed: the commands, and the options of each. */
interface Completed {
  readonly name: string;
  readonly summary: string;
  readonly options: CommandOptions;
}

const SHELLS: Readonly<Record<string, (commands: readonly Completed[]) => string>> = {
  bash,
  zsh,
  fish,
};

/** `serval completions`: a script for the shell, for all the other commands. */
export function completionsCommand(others: readonly Command[]): Command {
  return {
    name: 'completions',
    summary: 'Print a completion script for a shell',
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
      const serve = { name: 'serve', summary: 'Run the server', options: serverOptions() };
      terminal.print(script([serve, ...others]));
    },
  };
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
  const cases = commands.map(
    ({ name, options }) => `    ${name}) words="${flagsOf(options).join(' ')}" ;;`,
  );
  return `_serval() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words="${names}"
  if [ "$COMP_CWORD" -gt 1 ] || [ "\${current#-}" != "$current" ]; then
    case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    -*) words="${flagsOf(commands[0]?.options ?? {}).join(' ')}" ;;
    *) words="" ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _serval serval`;
}

function zsh(commands: readonly Completed[]): string {
  const names = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  const cases = commands.map(({ name, options }) => {
    const all = Object.entries({ ...options, ...SHARED_OPTIONS });
    const flags = all.map(([flag, option]) => {
      const { help, value } = option as CommandOptions[string];
      const shown = help.replaceAll(/[[\]:]/g, (sign) => `\\${sign}`);
      return quoted(`--${flag}[${shown}]${value === undefined ? '' : `:${value}:_files`}`);
    });
    return `    ${name}) _arguments ${flags.join(' ')} '*:file:_files' ;;`;
  });
  return `#compdef serval
_serval() {
  local -a commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
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
  const flags = commands.flatMap(({ name, options }) =>
    Object.entries({ ...options, ...SHARED_OPTIONS }).map(([flag, option]) => {
      const { help, value } = option as CommandOptions[string];
      const takes = value === undefined ? '' : ' -r';
      const where = `-n '__fish_seen_subcommand_from ${name}'`;
      return `complete -c serval ${where} -l ${flag}${takes} -d ${quoted(help)}`;
    }),
  );
  return [...first, ...flags].join('\n');
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
