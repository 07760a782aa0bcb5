import type { Action } from './actions.js';
import { covers, listPatterns } from './index-pattern.js';
import { type TenantRules, tenantFilterOf, tenantSees } from './tenant-rules.js';

/** What the sender of a request may do beyond calling the route. */
export interface Access {
  /** Index patterns that the key of the sender may see; `undefined` when all. */
  readonly visibleIndexes: readonly string[] | undefined;
  /** Whether a write may create the index it names. */
  readonly mayCreateIndexes: boolean;
  /** What a tenant token leaves of the rights of its key. */
  readonly tenantRules?: TenantRules;
}

/** Access to everything. The master key gives this very object, an API key never does. */
export const FULL_ACCESS: Access = { visibleIndexes: undefined, mayCreateIndexes: true };

/** Decides what a bearer token may do. */
export interface KeyRing {
  /**
   * The access that a token has to a route which asks for one of `actions`. Throws
   * `invalid_api_key` when it has none.
   */
  accessOf(token: string, actions: readonly Action[]): Access;
}

/** Whether a uid is covered by what the sender may see. */
export function seesIndex(access: Access, uid: string): boolean {
  return (
    keySees(access, uid) &&
    (access.tenantRules === undefined || tenantSees(access.tenantRules, uid))
  );
}

function keySees({ visibleIndexes }: Access, uid: string): boolean {
  return visibleIndexes?.some((pattern) => covers(pattern, uid)) ?? true;
}

/** Why the sender may not see an index; `undefined` when it may. */
export function indexRefusal(access: Access, uid: string): string | undefined {
  const { tenantRules, visibleIndexes = [] } = access;
  if (tenantRules !== undefined && !tenantSees(tenantRules, uid)) {
    const allowed = listPatterns(tenantRules.keys());
    return `The provided tenant token cannot acces the index \`${uid}\`, allowed indexes are ${allowed}.`;
  }
  if (keySees(access, uid)) return undefined;
  return tenantRules === undefined
    ? `The API key cannot acces the index \`${uid}\`, authorized indexes are ${listPatterns(visibleIndexes)}.`
    : `The API key used to generate this tenant token cannot acces the index \`${uid}\`.`;
}

/** The filter of what the sender may see of an index; `undefined` when all of it. */
export function ruleFilter({ tenantRules }: Access, uid: string): unknown {
  return tenantRules === undefined ? undefined : tenantFilterOf(tenantRules, uid);
}

/**
 * The filter of a search on an index, narrowed to what the sender may see: the rule of a tenant
 * token and the filter of the request must both hold.
 */
export function visibleFilter(access: Access, uid: string, filter: unknown): unknown {
  const rule = ruleFilter(access, uid);
  if (rule === undefined) return filter;
  if (filter == null || filter === '') return rule;
  // Elements of a filter list must all hold, so lists are joined, not nested. What the sender wrote comes
  // first: what is wrong with it is told first, and shown where it was written.
  return [filter, rule].flat(1);
}
