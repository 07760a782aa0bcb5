import { decidingPattern } from './index-pattern.js';

/** The indexes that a tenant token opens, by pattern, each with the filter that holds there. */
export type TenantRules = ReadonlyMap<string, unknown>;

/** Reads the rules of a token: a list of patterns, or patterns with rules; `undefined` if neither. */
export function readTenantRules(value: unknown): TenantRules | undefined {
  if (Array.isArray(value)) {
    const patterns = value.filter((pattern) => typeof pattern === 'string');
    if (patterns.length < value.length) return undefined;
    return new Map(patterns.map((pattern) => [pattern, undefined]));
  }
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value);
  if (entries.some(([, rule]) => rule !== null && !isObject(rule))) return undefined;
  return new Map(entries.map(([pattern, rule]) => [pattern, rule?.filter ?? undefined]));
}

/** Whether rules open an index. */
export function tenantSees(rules: TenantRules, uid: string): boolean {
  return decidingPattern(rules.keys(), uid) !== undefined;
}

/** The filter that the deciding rule puts on an index, if it puts one. */
export function tenantFilterOf(rules: TenantRules, uid: string): unknown {
  const pattern = decidingPattern(rules.keys(), uid);
  return pattern === undefined ? undefined : rules.get(pattern);
}

function isObject(value: unknown): value is Record<string, { filter?: unknown } | null> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
