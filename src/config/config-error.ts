/** Why the server cannot start as asked; the message is for the person who starts it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
