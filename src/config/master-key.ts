import { ConfigError } from './config-error.js';
import type { Config } from './options.js';

/** Bytes that a master key must have in production. */
const MIN_KEY_BYTES = 16;

/** What is wrong with the master key, however serious it is here. */
function keyProblem(masterKey: string | undefined): string | undefined {
  if (masterKey === undefined) {
    return 'You must provide a master key to secure your instance in a production environment. It can be specified via the SVC_MASTER_KEY environment variable or the --master-key launch option.';
  }
  const bytes = Buffer.byteLength(masterKey);
  if (bytes >= MIN_KEY_BYTES) return undefined;
  return `The master key must be at least ${MIN_KEY_BYTES} bytes in a production environment. The provided key is only ${bytes} bytes.`;
}

/**
 * Refuses to run in production without a good master key, suggesting `newKey`. In development the
 * problem is returned, to be shown as a warning.
 */
export function checkMasterKey(
  { env, masterKey }: Pick<Config, 'env' | 'masterKey'>,
  newKey: () => string,
): string | undefined {
  const problem = keyProblem(masterKey);
  if (problem === undefined || env === 'development') return problem;
  throw new ConfigError(
    `${problem}\n\nWe generated a new secure master key for you (you can safely use this token):\n\n>> --master-key ${newKey()} <<`,
  );
}
