import { type Command, type CommandOption, SHARED_OPTIONS } from './command.js';
import { EXIT, EXIT_MEANINGS, type ExitCode } from './exit-code.js';
import type { Terminal } from './terminal.js';

const LINE_WIDTH = 100;

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

${exitStatuses()}`;
}

/** A sentence about all exit statuses, in lines of a terminal. */
function exitStatuses(): string {
  const statuses = Object.entries(EXIT) as [keyof typeof EXIT, ExitCode][];
  const all = statuses.map(([name, status]) => `${status} ${EXIT_MEANINGS[name]}`).join(', ');
  return wrapped(`Exit status: ${all}.`);
}

function wrapped(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trimStart();
    if (longer.length > LINE_WIDTH) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.join('\n');
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
