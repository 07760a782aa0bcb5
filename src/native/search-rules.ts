import * as binding from '../../native/binding.cjs';

/** A rule as the engine takes it; times are milliseconds since 1970. */
export interface EngineRule {
  readonly precedence?: number | undefined;
  readonly start?: number | undefined;
  readonly end?: number | undefined;
  readonly isEmpty?: boolean | undefined;
  readonly words?: string | undefined;
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  readonly pins: readonly {
    readonly indexUid?: string | undefined;
    readonly id: string;
    readonly position: number;
  }[];
}

/** How much of the rules a search looks at; the engine has a default for each. */
export interface RuleBudgets {
  readonly countedWords?: number;
  readonly activeRules?: number;
  readonly pinActions?: number;
  readonly wordFuel?: number;
  readonly filterFuel?: number;
  readonly filterOrFuel?: number;
  readonly filterAndFuel?: number;
  readonly filterDepthFuel?: number;
}

/** Rules made ready for searches. */
export type AppliedRules = binding.NativeSearchRules;

/** Makes the active rules ready, given in the order of their age. */
export function applyRules(rules: readonly EngineRule[], budgets: RuleBudgets = {}): AppliedRules {
  return new binding.NativeSearchRules(JSON.stringify({ rules, budgets }));
}
