/** The environment of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable, unless it is empty: container files set those that have no value so. */
export function setVariable(env: Environment, name: string): string | undefined {
  return env[name] === '' ? undefined : env[name];
}
