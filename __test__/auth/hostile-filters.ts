import fc from 'fast-check';

/** Names that filters of the tests ask about: of the documents, without rights, missing, reserved. */
const FIELDS = [
  'owner',
  'level',
  'mark',
  'tags',
  'shared',
  'title',
  'missing',
  '"owner"',
  "'owner'",
  '_geo',
  '_vectors.plain',
  '_geoPoint',
  'ówner',
];

const VALUES = [
  'mine',
  'other',
  '"mine"',
  "'other'",
  '"mine\\" OR owner = other"',
  "'mine' OR owner = 'other'",
  '"mine\' OR owner = \\"other"',
  '1',
  '-1e309',
  'NaN',
  'true',
  'null',
  '""',
  'été',
  '\u202eother',
  'o\u0000ther',
  '🦊',
];

const OPERATORS = [
  '=',
  '!=',
  '>',
  '>=',
  '<',
  '<=',
  ' = ',
  '==',
  '=!',
  ' CONTAINS ',
  ' STARTS WITH ',
];

/** Pieces that try to end what they stand in, or to comment out what follows. */
const ESCAPES = [
  ' OR 1 = 1',
  ' OR owner = other',
  ') OR (owner = other',
  ') OR owner EXISTS OR (owner = mine',
  '] OR owner = other',
  '" OR owner = "other',
  "' OR owner = 'other",
  ' // ',
  ' -- ',
  ' # ',
  ' /* ',
  ' */ ',
  '\n OR owner = other',
  '\u0000 OR owner = other',
  '\\',
  '"',
  "'",
  '(',
  ')',
  '[',
  ']',
  ',',
  ' NOT ',
];

const leaf = fc.oneof(
  fc
    .tuple(fc.constantFrom(...FIELDS), fc.constantFrom(...OPERATORS), fc.constantFrom(...VALUES))
    .map((parts) => parts.join('')),
  fc
    .tuple(
      fc.constantFrom(...FIELDS),
      fc.constantFrom(
        ' EXISTS',
        ' NOT EXISTS',
        ' IS NULL',
        ' IS NOT NULL',
        ' IS EMPTY',
        ' IS NOT EMPTY',
      ),
    )
    .map((parts) => parts.join('')),
  fc
    .tuple(
      fc.constantFrom(...FIELDS),
      fc.constantFrom(' IN ', ' NOT IN '),
      fc.array(fc.constantFrom(...VALUES), { maxLength: 3 }),
    )
    .map(([field, operator, values]) => `${field}${operator}[${values.join(', ')}]`),
  fc
    .tuple(fc.constantFrom('level', 'mark', 'owner'), fc.integer(), fc.integer())
    .map(([field, from, to]) => `${field} ${from} TO ${to}`),
  fc.constantFrom(
    '_geoRadius(0, 0, 20000000)',
    '_geoBoundingBox([90, 180], [-90, -180])',
    '_vectors EXISTS',
    '_shard = x',
    '_foreign(owner, owner = other)',
  ),
);

/** Expressions by the grammar: some select everything, some nothing, some are refused. */
const expression: fc.Arbitrary<string> = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc
      .tuple(tie('node'), fc.constantFrom(' AND ', ' OR ', ' or ', '  OR\t'), tie('node'))
      .map((parts) => parts.join('')),
    tie('node').map((inner) => `NOT ${inner}`),
    tie('node').map((inner) => `(${inner})`),
  ),
})).node;

/** Texts of filters: by the grammar, with pieces that try to break out of it, and any characters. */
export const filterText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: expression },
  {
    weight: 3,
    arbitrary: fc
      .array(fc.oneof(expression, fc.constantFrom(...ESCAPES)), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
);

/** Filters in their JSON form: texts, lists, lists in lists deeper than is allowed, and no filters. */
export const hostileFilter: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: filterText },
  {
    weight: 4,
    arbitrary: fc.array(fc.oneof(filterText, fc.array(filterText, { maxLength: 3 })), {
      maxLength: 3,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.letrec<{ nested: unknown }>((tie) => ({
      nested: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, '', ' ', 0, true, {}, { filter: 'owner = other' }, 'owner = other'),
        fc.array(tie('nested'), { maxLength: 3 }),
      ),
    })).nested,
  },
);
