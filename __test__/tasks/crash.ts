import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Opens a folder in a process of its own, writes to it, and lets that process kill itself in the
 * middle of the second batch: when its commit is on disk and the store has not heard of it, or
 * just before that commit.
 */
export function crashAfterCommit(
  path: string,
  moment: 'after' | 'before' = 'after',
): Promise<void> {
  const script = fileURLToPath(new URL('./crash-child.ts', import.meta.url));
  const loader = fileURLToPath(new URL('./typescript-loader.mjs', import.meta.url));
  const child = fork(script, [path, moment], { execArgv: ['--import', loader], stdio: 'pipe' });
  return new Promise((resolve, reject) => {
    let output = '';
    child.stderr?.on('data', (chunk) => {
      output += chunk;
    });
    child.on('exit', (code, signal) => {
      if (signal === 'SIGKILL') resolve();
      else reject(new Error(`the process ended by itself with ${code}: ${output}`));
    });
  });
}
