const BUILT_IN = new Set([
  'words',
  'typo',
  'proximity',
  'attribute',
  'attributeRank',
  'wordPosition',
  'sort',
  'exactness',
]);

/** Names that the geo features use, with what they are for instead. */
const RESERVED = [
  { name: '_geoPoint', use: '`_geoPoint` can only be used for sorting at search time' },
  { name: '_geoRadius', use: '`_geoRadius` can only be used for filtering at search time' },
  {
    name: '_geoBoundingBox',
    use: '`_geoBoundingBox` can only be used for filtering at search time',
  },
  { name: '_geo' },
  { name: '_geoDistance' },
];

/**
 * Why a text is no ranking rule. Rules are the built-in names and `attribute:asc`,
 * `attribute:desc`; the earlier generation also wrote `wordsPosition`, `asc(x)` and `desc(x)`.
 */
export function rankingRuleProblem(text: string): string | undefined {
  if (BUILT_IN.has(text) || text === 'wordsPosition') return undefined;
  const attribute = customAttribute(text);
  const reserved = RESERVED.find(({ name }) =>
    attribute === undefined
      ? text.startsWith(`${name}(`)
      : attribute === name || attribute.startsWith(`${name}(`),
  );
  if (reserved !== undefined) {
    const { name, use } = reserved;
    const hint = use === undefined ? '' : `. ${use}`;
    return `\`${name}\` is a reserved keyword and thus can't be used as a ranking rule${hint}`;
  }
  if (attribute !== undefined) return undefined;
  return `\`${text}\` ranking rule is invalid. Valid ranking rules are words, typo, sort, proximity, attribute, exactness and custom ranking rules.`;
}

/** The attribute of a rule that orders by value. */
function customAttribute(text: string): string | undefined {
  return /^(.+):(?:asc|desc)$/s.exec(text)?.[1] ?? /^(?:asc|desc)\((.+)\)$/s.exec(text)?.[1];
}

/** The rule under its current name. */
export function currentRuleName(text: string): string {
  if (text === 'wordsPosition') return 'wordPosition';
  const earlier = /^(asc|desc)\((.+)\)$/s.exec(text);
  return earlier === null ? text : `${earlier[2]}:${earlier[1]}`;
}

/** Whether a list of rules names `attribute` beside one of its two halves. */
export function mixesAttributeRules(rules: readonly string[]): boolean {
  return (
    rules.includes('attribute') &&
    (rules.includes('attributeRank') || rules.includes('wordPosition'))
  );
}
