/** What the exit status of a command says. */
export const EXIT = {
  done: 0,
  /** It could not be done; the reason is on standard error. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** There is no answer from the server. */
  unreachable: 3,
  /** The key is missing, wrong, or not allowed to. */
  refused: 4,
  /** There is no such index, document, key, file or data folder. */
  notFound: 5,
  /** Files of the data folder are damaged. */
  damaged: 6,
  /** Interrupted by the user, by the convention of shells. */
  interrupted: 130,
} as const;

/** The exit statuses as `serval help` tells about them. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'done',
  failed: 'failed',
  usage: 'wrong command line',
  unreachable: 'no answer from the server',
  refused: 'refused by it for the key',
  notFound: 'not found',
  damaged: 'damaged files',
  interrupted: 'interrupted',
};

/** One of the exit statuses. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Why a command ends without having done what was asked. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** The error of a command line that cannot be read. */
export function usageError(message: string): CommandError {
  return new CommandError(EXIT.usage, message);
}
