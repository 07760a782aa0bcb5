import * as z from 'zod';
import { ApiError } from '../errors/api-error.js';
import { coded, integerUpTo, positiveInteger } from '../validation/field-rules.js';
import { indexUid } from '../validation/index-uid.js';
import type { RuleAction, RuleChange, RuleConditions } from './search-rule.js';

const CONDITIONS = 'invalid_dynamic_search_rule_conditions';
const ACTIONS = 'invalid_dynamic_search_rule_actions';
const MAX_POSITION = 2 ** 32 - 1;
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

const moment = z.string().refine((text) => RFC_3339.test(text) && isDate(text), {
  error: ({ input }) =>
    `\`${String(input)}\` is an invalid date-time. It should follow the RFC 3339 format.`,
});

const conditions = z.strictObject({
  time: z.strictObject({ start: moment.nullish(), end: moment.nullish() }).nullish(),
  query: z.strictObject({ isEmpty: z.boolean().nullish(), words: z.string().nullish() }).nullish(),
  filter: z.strictObject({ values: z.record(z.string(), z.any()) }).nullish(),
});

const position = integerUpTo(MAX_POSITION);

const action = z.strictObject({
  selector: z.strictObject({ indexUid: indexUid(ACTIONS).nullish(), id: z.string() }),
  action: z.strictObject({ type: z.enum(['pin']), position }),
});

/** Body of a change of a rule. */
export const ruleChangeSchema = z
  .strictObject({
    description: coded('invalid_dynamic_search_rule_description', z.string()).nullish(),
    precedence: coded('invalid_dynamic_search_rule_priority', positiveInteger).nullish(),
    active: coded('invalid_dynamic_search_rule_active', z.boolean()).nullish(),
    conditions: coded(CONDITIONS, conditions).nullish(),
    actions: coded(ACTIONS, z.array(action)).nullish(),
  })
  .meta({ id: 'DynamicSearchRuleChange' });

/** Body of a listing of rules. */
export const ruleListSchema = z
  .strictObject({
    offset: coded('invalid_dynamic_search_rule_offset', positiveInteger).default(0),
    limit: coded('invalid_dynamic_search_rule_limit', positiveInteger).default(20),
    filter: coded(
      'invalid_dynamic_search_rule_filter',
      z.strictObject({
        query: coded('invalid_dynamic_search_rule_filter_query', z.string()).nullish(),
        active: coded('invalid_dynamic_search_rule_filter_active', z.boolean()).nullish(),
      }),
    )
      .nullish()
      .meta({ description: 'Which rules are listed' }),
  })
  .meta({ id: 'DynamicSearchRuleListing' });

/** The change that a body asks for. Throws `bad_request` on conditions that no search can meet. */
export function ruleChangeOf(body: z.output<typeof ruleChangeSchema>): RuleChange {
  const { conditions: given, actions, ...rest } = body;
  return {
    ...rest,
    ...(given === undefined ? {} : { conditions: given === null ? null : conditionsOf(given) }),
    ...(actions === undefined ? {} : { actions: actions?.map(actionOf) ?? null }),
  };
}

function conditionsOf({ time, query, filter }: z.output<typeof conditions>): RuleConditions {
  const { start, end } = time ?? {};
  if (start != null && end != null && Date.parse(end) <= Date.parse(start)) {
    const reason = `\`end\` (\`${end}\`) should be later than \`start\` (\`${start}\`)`;
    throw new ApiError('bad_request', `Invalid value at \`.conditions.time\`: ${reason}`);
  }
  if (query?.isEmpty === true && query.words != null) {
    const reason = 'either `isEmpty` or `words` can be used, not both at once';
    throw new ApiError('bad_request', `Invalid value at \`.conditions.query\`: ${reason}`);
  }
  return {
    ...(time == null ? {} : { time: withoutNulls(time) }),
    ...(query == null ? {} : { query: withoutNulls(query) }),
    ...(filter == null ? {} : { filter }),
  };
}

function actionOf({
  selector,
  action: { type, position: at },
}: z.output<typeof action>): RuleAction {
  return { selector: withoutNulls(selector), action: { type, position: at } };
}

type WithoutNulls<T> = { [Key in keyof T]: Exclude<T[Key], null> };

function withoutNulls<T extends object>(value: T): WithoutNulls<T> {
  const given = Object.entries(value).filter(([, part]) => part != null);
  return Object.fromEntries(given) as WithoutNulls<T>;
}

/** Whether the calendar has the day; without the check, a 30th of February is the 2nd of March. */
function isDate(text: string): boolean {
  const day = Date.parse(`${text.slice(0, 10)}T00:00:00Z`);
  const isDay = !Number.isNaN(day) && new Date(day).toISOString().startsWith(text.slice(0, 10));
  return isDay && !Number.isNaN(Date.parse(text));
}
