import { type AppliedRules, applyRules, type RuleBudgets } from '../native/search-rules.js';
import type { Records } from '../records/records.js';
import { changedRule, type RuleChange, type SearchRule } from './search-rule.js';

const NAMESPACE = 'searchRules';

/** A rule as it is kept; `sequence` tells the order in which rules were first seen. */
interface StoredRule {
  readonly sequence: number;
  readonly rule: SearchRule;
}

/** Which rules a list shows. */
export interface RuleFilter {
  /** Words that must each begin a word of the description or of the condition on the query. */
  readonly query?: string | null | undefined;
  readonly active?: boolean | null | undefined;
}

/**
 * The dynamic search rules: all in memory, and on disk before a change is in effect. Only the
 * queue of tasks changes them, one after another; changes may be made again after a crash.
 */
export class RuleStore {
  readonly #records: Records;
  /** By uid, in order of first sight. */
  readonly #rules: Map<string, StoredRule>;
  readonly #budgets: RuleBudgets;
  /** Made of the rules when a search first needs them; `null` when no rule does anything. */
  #applied: AppliedRules | null | undefined;

  constructor(records: Records, rules: readonly StoredRule[] = [], budgets: RuleBudgets = {}) {
    this.#records = records;
    this.#budgets = budgets;
    const inOrder = rules.toSorted((a, b) => a.sequence - b.sequence);
    this.#rules = new Map(inOrder.map((stored) => [stored.rule.uid, stored]));
  }

  /** Reads the rules from the store. */
  static async load(records: Records, budgets: RuleBudgets = {}): Promise<RuleStore> {
    const found = await records.records(NAMESPACE);
    return new RuleStore(
      records,
      found.map(([, stored]) => stored as StoredRule),
      budgets,
    );
  }

  get(uid: string): SearchRule | undefined {
    return this.#rules.get(uid)?.rule;
  }

  /** The active rules, ready for searches; `undefined` when there are none. */
  applied(): AppliedRules | undefined {
    if (this.#applied === undefined) {
      const active = [...this.#rules.values()].flatMap(({ rule }) => engineRule(rule) ?? []);
      this.#applied = active.length === 0 ? null : applyRules(active, this.#budgets);
    }
    return this.#applied ?? undefined;
  }

  /** The rules that pass a filter, the one changed last first. */
  list(filter: RuleFilter = {}): readonly SearchRule[] {
    const words = wordsOf(filter.query ?? '');
    return [...this.#rules.values()]
      .map(({ rule }) => rule)
      .filter((rule) => filter.active == null || rule.active === filter.active)
      .filter((rule) => holdsWords(rule, words))
      .toSorted((a, b) => Date.parse(b.lastUpdatedAt) - Date.parse(a.lastUpdatedAt));
  }

  /** Changes a rule, or creates it. */
  async update(uid: string, change: RuleChange): Promise<void> {
    const known = this.#rules.get(uid);
    const rule = changedRule(uid, known?.rule, change, this.#now());
    const stored = { sequence: known?.sequence ?? this.#nextSequence(), rule };
    await this.#records.putRecord(NAMESPACE, uid, stored);
    this.#rules.set(uid, stored);
    this.#applied = undefined;
  }

  /** Removes a rule; nothing happens when there is none of this uid. */
  async delete(uid: string): Promise<void> {
    if (!this.#rules.has(uid)) return;
    await this.#records.deleteRecord(NAMESPACE, uid);
    this.#rules.delete(uid);
    this.#applied = undefined;
  }

  /** Removes every rule; resolves to how many there were. */
  async clear(): Promise<number> {
    const uids = [...this.#rules.keys()];
    for (const uid of uids) await this.delete(uid);
    return uids.length;
  }

  /** The present moment, or the first one after the latest change: dates tell the order. */
  #now(): string {
    const dates = [...this.#rules.values()].map(({ rule }) => Date.parse(rule.lastUpdatedAt));
    const latest = dates.reduce((a, b) => Math.max(a, b), 0);
    return new Date(Math.max(Date.now(), latest + 1)).toISOString();
  }

  #nextSequence(): number {
    return ([...this.#rules.values()].at(-1)?.sequence ?? -1) + 1;
  }
}

/** An active rule as the engine takes it. */
function engineRule({ active, precedence, conditions, actions }: SearchRule) {
  if (!active || actions.length === 0) return undefined;
  const { time, query, filter } = conditions;
  const moment = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text));
  return {
    precedence,
    start: moment(time?.start),
    end: moment(time?.end),
    isEmpty: query?.isEmpty,
    words: query?.words,
    values: filter?.values,
    pins: actions.map(({ selector, action }) => ({ ...selector, position: action.position })),
  };
}

function holdsWords({ description = '', conditions }: SearchRule, words: readonly string[]) {
  const held = wordsOf(`${description} ${conditions.query?.words ?? ''}`);
  return words.every((word) => held.some((one) => one.startsWith(word)));
}

function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  );
}
