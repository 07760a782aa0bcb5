/** The parameters of a query string in the order received, percent-decoded. */
export type QueryPairs = ReadonlyArray<readonly [name: string, value: string]>;

const NONE: QueryPairs = [];

/** Splits a query string (without its question mark); `+` is a space. */
export function parseQueryString(text: string): QueryPairs {
  if (text === '') return NONE;
  // Of a name given twice the last value counts, at the place of the first.
  const pairs = new Map<string, string>();
  for (const part of text.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = equals === -1 ? part : part.slice(0, equals);
    pairs.set(decodePart(name), equals === -1 ? '' : decodePart(part.slice(equals + 1)));
  }
  return [...pairs];
}

/** Percent-decodes one part; sequences that are not UTF-8 become replacement characters. */
function decodePart(part: string): string {
  if (!part.includes('%') && !part.includes('+')) return part;
  const spaced = part.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    const bytes = spaced.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    return Buffer.from(bytes, 'latin1').toString('utf8');
  }
}
