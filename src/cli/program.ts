import { addonFailure } from '../addon-failure.js';
import type { Environment } from '../config/environment.js';
import { ApiError } from '../errors/api-error.js';
import { unexpectedReason } from '../errors/system-error.js';
import { closestWord } from '../validation/did-you-mean.js';
import { benchCommand } from './bench.js';
import { checkCommand } from './check.js';
import type { Command, CommandContext } from './command.js';
import { completionsCommand } from './completions.js';
import { dumpCommand } from './dump.js';
import { CommandError, EXIT, type ExitCode } from './exit-code.js';
import { exportCommand } from './export.js';
import { Given } from './given.js';
import { helpOf, overview } from './help.js';
import { importCommand } from './import.js';
import { keysCommand } from './keys.js';
import { searchCommand } from './search.js';
import { snapshotCommand } from './snapshot.js';

const OWN_COMMANDS: readonly Command[] = [
  importCommand,
  exportCommand,
  dumpCommand,
  snapshotCommand,
  keysCommand,
  searchCommand,
  checkCommand,
  benchCommand,
];

/** Every command but the server, in the order of the help. */
export const COMMANDS: readonly Command[] = [...OWN_COMMANDS, completionsCommand(OWN_COMMANDS)];

const HELP = 'help';
const SERVE = 'serve';

/** Whether a command line is about something else than running the server. */
export function isCommandLine([first]: readonly string[]): boolean {
  return first !== undefined && first !== SERVE && !first.startsWith('-');
}

/** Runs a command line and returns the exit status; what went wrong is told on the terminal. */
export async function runCommand(
  [name = HELP, ...words]: readonly string[],
  context: CommandContext,
  env: Environment,
): Promise<ExitCode> {
  const { terminal, signal } = context;
  try {
    if (name === HELP) {
      terminal.print(helpText(wantsHelp(words) ? undefined : words[0], context));
      return EXIT.done;
    }
    const command = commandOf(name);
    if (wantsHelp(words)) {
      terminal.print(helpOf(command, terminal));
      return EXIT.done;
    }
    await command.run(new Given(words, command.options, env), context);
    return EXIT.done;
  } catch (error) {
    if (signal.aborted) {
      terminal.remark('serval: interrupted');
      return EXIT.interrupted;
    }
    const { exitCode, message } = failureOf(error);
    terminal.remark(`serval: ${message}`);
    if (error instanceof UnknownCommand) terminal.remark('serval help lists all commands.');
    else if (exitCode === EXIT.usage) terminal.remark(`serval ${name} --help tells more.`);
    return exitCode;
  }
}

function wantsHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  const options = end === -1 ? words : words.slice(0, end);
  return options.some((word) => word === '--help' || word === '-h');
}

function helpText(about: string | undefined, { terminal }: CommandContext): string {
  if (about === undefined) return overview(COMMANDS, terminal);
  if (about === SERVE) return 'serval --help tells about the options of the server.';
  return helpOf(commandOf(about), terminal);
}

/** A word that names no command. */
class UnknownCommand extends CommandError {
  constructor(name: string, close: string | undefined) {
    const hint = close === undefined ? '' : `, did you mean ${close}?`;
    super(EXIT.usage, `unknown command ${name}${hint}`);
  }
}

function commandOf(name: string): Command {
  const command = COMMANDS.find((one) => one.name === name);
  if (command !== undefined) return command;
  const close = closestWord(name, [SERVE, HELP, ...COMMANDS.map((one) => one.name)]);
  throw new UnknownCommand(name, close);
}

/** What is said of a failure: reasons of the user are enough, others need the trace. */
function failureOf(error: unknown): { exitCode: ExitCode; message: string } {
  if (error instanceof CommandError) return error;
  if (error instanceof ApiError) {
    return { exitCode: error.status === 404 ? EXIT.notFound : EXIT.failed, message: error.message };
  }
  const addon = addonFailure(error);
  if (addon !== undefined) return { exitCode: EXIT.failed, message: addon };
  return { exitCode: EXIT.failed, message: unexpectedReason(error) };
}
