#!/usr/bin/env node
import { addonFailure } from './addon-failure.js';
import { isCommandLine, runCommand } from './cli/program.js';
import { Terminal } from './cli/terminal.js';
import { endWithOutput } from './printed.js';

const words = process.argv.slice(2);

if (isCommandLine(words)) await runAlone();
else await import('./main.js').catch(endWithoutAddon);

function endWithoutAddon(error: unknown): void {
  const reason = addonFailure(error);
  if (reason === undefined) throw error;
  process.stderr.write(`serval: ${reason}\n`);
  process.exit(1);
}

async function runAlone(): Promise<void> {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  endWithOutput(process.stdout, process.stderr, (status) => process.exit(status));
  const terminal = new Terminal(process.stdout, process.stderr, process.env);
  const context = { terminal, signal: controller.signal };
  process.exitCode = await runCommand(words, context, process.env);
  process.removeListener('SIGINT', interrupt);
  process.removeListener('SIGTERM', interrupt);
  // Node tells once more, as unhandled, of an addon that was not found. With everything written, nothing is to be waited for.
  const isWritten = process.stdout.writableLength + process.stderr.writableLength === 0;
  if (process.exitCode !== 0 && isWritten) process.exit();
}
