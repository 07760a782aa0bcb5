/** Digits that may be more than a number of JavaScript keeps. */
const MANY_DIGITS = /\d{16}/;
const INTEGER = /^-?\d+$/;

/**
 * Reads JSON whose values are shown and sent back. Integers that a number would round are kept as they
 * are written: they have no arithmetic, and `JSON.stringify` writes them as they were. Browsers before
 * Chrome 114, Firefox 135 and Safari 18.4 round them.
 */
export function parseExactly(text: string): unknown {
  const { rawJSON } = JSON as { rawJSON?: (text: string) => object };
  if (rawJSON === undefined || !MANY_DIGITS.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source;
    const isRounded = typeof value === 'number' && !Number.isSafeInteger(value);
    return isRounded && source !== undefined && INTEGER.test(source) ? rawJSON(source) : value;
  });
}
