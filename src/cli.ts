#!/usr/bin/env node
import { isCommandLine, runCommand } from './cli/program.js';
import { Terminal } from './cli/terminal.js';

const words = process.argv.slice(2);

if (isCommandLine(words)) await runAlone();
else await import('./main.js');

async function runAlone(): Promise<void> {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  // Whoever reads may have seen enough, as `head` has.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  const terminal = new Terminal(process.stdout, process.stderr, process.env);
  const context = { terminal, signal: controller.signal };
  process.exitCode = await runCommand(words, context, process.env);
  process.removeListener('SIGINT', interrupt);
  process.removeListener('SIGTERM', interrupt);
}
