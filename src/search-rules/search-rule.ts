/** When a rule applies; an empty object is always. Keys in the order of the wire. */
export interface RuleConditions {
  readonly time?: { readonly start?: string | undefined; readonly end?: string | undefined };
  readonly query?: { readonly isEmpty?: boolean | undefined; readonly words?: string | undefined };
  readonly filter?: { readonly values: Readonly<Record<string, unknown>> };
}

/** What a rule does: it puts a document at a position of the results, counted from 0. */
export interface RuleAction {
  /** Without an index: in every index that has a document of this id. */
  readonly selector: { readonly indexUid?: string | undefined; readonly id: string };
  readonly action: { readonly type: 'pin'; readonly position: number };
}

/** A rule as it is shown; keys in the order of the wire. */
export interface SearchRule {
  readonly uid: string;
  readonly description?: string;
  readonly lastUpdatedAt: string;
  /** Lower ones come first, rules without one last. */
  readonly precedence?: number;
  readonly active: boolean;
  readonly conditions: RuleConditions;
  readonly actions: readonly RuleAction[];
}

/** Fields of a rule to set; `null` gives one its default back, absent ones stay. */
export interface RuleChange {
  readonly description?: string | null | undefined;
  readonly precedence?: number | null | undefined;
  readonly active?: boolean | null | undefined;
  readonly conditions?: RuleConditions | null;
  readonly actions?: readonly RuleAction[] | null;
}

/** The rule that a change makes of the one before it, or of none. */
export function changedRule(
  uid: string,
  before: SearchRule | undefined,
  change: RuleChange,
  lastUpdatedAt: string,
): SearchRule {
  const description = changed(before?.description, change.description);
  const precedence = changed(before?.precedence, change.precedence);
  return {
    uid,
    ...(description === undefined ? {} : { description }),
    lastUpdatedAt,
    ...(precedence === undefined ? {} : { precedence }),
    active: changed(before?.active, change.active) ?? true,
    conditions: changed(before?.conditions, change.conditions) ?? {},
    actions: changed(before?.actions, change.actions) ?? [],
  };
}

function changed<T>(before: T | undefined, change: T | null | undefined): T | undefined {
  return change === undefined ? before : (change ?? undefined);
}
