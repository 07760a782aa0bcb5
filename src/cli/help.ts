import { type Command, type CommandOption, SHARED_OPTIONS } from './command.js';
import type { Terminal } from './terminal.js';

/** The text of `serval help`. */
export function overview(commands: readonly Command[], terminal: Terminal): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 2;
  const lines = [
    ['serve', 'Run the server; the same without a command'] as const,
    ...commands.map(({ name, summary }) => [name, summary] as const),
    ['help', 'Tell about a command'] as const,
  ].map(([name, summary]) => `  ${terminal.bold(name.padEnd(width))}${summary}`);
  return `Usage: serval COMMAND [options]

${lines.join('\n')}

serval COMMAND --help tells more about one, serval --help about the options of the server.

Exit status: 0 done, 1 failed, 2 wrong command line, 3 no answer from the server, 4 refused by it
for the key, 5 not found, 130 interrupted.`;
}

/** The text of `--help` of a command. */
export function helpOf(command: Command, terminal: Terminal): string {
  const usage = command.usage.map(
    (line, at) => `${at === 0 ? 'Usage: ' : '       '}serval ${line}`,
  );
  const options = Object.entries({ ...command.options, ...SHARED_OPTIONS } as Command['options']);
  const lines = options.map(([name, option]) => entry(name, option, terminal));
  const about = command.about === undefined ? [] : [command.about, ''];
  return [`${command.summary}.`, '', ...usage, '', ...about, 'Options', ...lines].join('\n');
}

function entry(name: string, option: CommandOption, terminal: Terminal): string {
  const { short, value, variable, choices, help } = option;
  const flag = `${short === undefined ? '' : `-${short}, `}--${name}`;
  const shown = value === undefined ? flag : `${flag} ${value}`;
  const heading = `${terminal.bold(shown)}${variable === undefined ? '' : `  [${variable}]`}`;
  const among = choices === undefined ? '' : `: ${choices.join(', ')}`;
  return `  ${heading}\n      ${help}${among}`;
}
