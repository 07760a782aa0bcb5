import type { Action } from './actions.js';
import { sameText } from './earlier-keys.js';

/** What the sender of a request may do beyond calling the route. */
export interface Access {
  /** Index patterns that the sender may see; `undefined` when all. */
  readonly visibleIndexes: readonly string[] | undefined;
  /** Whether a write may create the index it names. */
  readonly mayCreateIndexes: boolean;
}

/** Access to everything. */
export const FULL_ACCESS: Access = { visibleIndexes: undefined, mayCreateIndexes: true };

/** Decides what a bearer token may do. API keys and tenant tokens are further implementations. */
export interface KeyRing {
  /** The access that a token has to a route which asks for one of `actions`; none if refused. */
  accessOf(token: string, actions: readonly Action[]): Access | undefined;
}

/** A ring that holds the master key alone. */
export function masterKeyRing(masterKey: string): KeyRing {
  return { accessOf: (token) => (sameText(token, masterKey) ? FULL_ACCESS : undefined) };
}

/** Whether a uid is covered by what the sender may see. */
export function seesIndex(access: Access, uid: string): boolean {
  return (
    access.visibleIndexes?.some((pattern) =>
      pattern.endsWith('*') ? uid.startsWith(pattern.slice(0, -1)) : uid === pattern,
    ) ?? true
  );
}
