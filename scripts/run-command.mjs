// Runs one command to its end, with its output shown, kept, or both.
import { spawn } from 'node:child_process';
import { root } from './paths.mjs';

/**
 * @typedef {object} CommandOptions
 * @property {NodeJS.ProcessEnv} [env] added to the environment
 * @property {boolean} [quiet] keep the output, do not show it
 * @property {(line: string) => void} [onLine] called for each line of output, instead of showing it
 * @property {number} [timeoutMs] kills the command and everything it started
 *
 * @typedef {object} CommandResult
 * @property {number} code exit code; 124 after a timeout, 127 when the command could not start
 * @property {string} output standard output and error in order of arrival
 */

/**
 * Never rejects: a command that cannot start gives code 127 and the reason as its output.
 * @param {string} command
 * @param {string[]} args
 * @param {CommandOptions} [options]
 * @returns {Promise<CommandResult>}
 */
export function runCommand(command, args, options = {}) {
  const ownGroup = process.platform !== 'win32';
  const child = spawn(command, args, {
    cwd: root,
    detached: ownGroup,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = () => {
    if (child.pid === undefined) return;
    try {
      process.kill(ownGroup ? -child.pid : child.pid, 'SIGKILL');
    } catch {
      // It ended meanwhile.
    }
  };
  const interrupt = () => {
    stop();
    process.exit(130);
  };
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);

  let output = '';
  let rest = '';
  /** @param {string} text */
  const read = (text) => {
    output += text;
    if (options.onLine) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      lines.forEach(options.onLine);
    } else if (!options.quiet) process.stdout.write(text);
  };
  child.stdout.setEncoding('utf8').on('data', read);
  child.stderr.setEncoding('utf8').on('data', read);

  return new Promise((resolve) => {
    let timedOut = false;
    const timer = options.timeoutMs
      ? setTimeout(() => {
          timedOut = true;
          stop();
        }, options.timeoutMs)
      : undefined;
    /** @param {number} code */
    const end = (code) => {
      clearTimeout(timer);
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', interrupt);
      if (rest) options.onLine?.(rest);
      resolve({ code, output });
    };
    child.on('error', (error) => {
      output += error.message;
      end(127);
    });
    child.on('close', (code) => {
      if (timedOut) read(`stopped after ${options.timeoutMs} ms\n`);
      end(timedOut ? 124 : (code ?? 1));
    });
  });
}
