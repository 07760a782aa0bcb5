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
const USES: Readonly<Record<string, string>> = {
  _geoPoint: '`_geoPoint` can only be used for sorting at search time',
  _geoRadius: '`_geoRadius` can only be used for filtering at search time',
  _geoBoundingBox: '`_geoBoundingBox` can only be used for filtering at search time',
};

/**
 * Why a text is no ranking rule. Rules are the built-in names and `attribute:asc`,
 * `attribute:desc`; the earlier generation also wrote `wordsPosition`, `asc(x)` and `desc(x)`.
 */
export function rankingRuleProblem(text: string): string | undefined {
  if (BUILT_IN.has(text) || text === 'wordsPosition') return undefined;
  const attribute = customAttribute(text);
  if (attribute === undefined) {
    return `\`${text}\` ranking rule is invalid. Valid ranking rules are words, typo, sort, proximity, attribute, exactness and custom ranking rules.`;
  }
  const name = reservedName(attribute);
  if (name === undefined) return undefined;
  const use = USES[name];
  const hint = use === undefined ? '' : `. ${use}`;
  const shown = use === undefined ? attribute : name;
  return `\`${shown}\` is a reserved keyword and thus can't be used as a ranking rule${hint}`;
}

/** The name of the geo features that an attribute is, or calls like a function. */
function reservedName(attribute: string): string | undefined {
  const [, name, rest = ''] =
    /^(_geo(?:Point|Radius|BoundingBox|Distance)?)(\(.*)?$/s.exec(attribute) ?? [];
  // A point without its end is a name like any other.
  return name === '_geoPoint' && rest !== '' && !rest.endsWith(')') ? undefined : name;
}

/** The attribute of a rule that orders by value. */
function customAttribute(text: string): string | undefined {
  return /^(.*):(?:asc|desc)$/s.exec(text)?.[1] ?? /^(?:asc|desc)\((.+)\)$/s.exec(text)?.[1];
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
