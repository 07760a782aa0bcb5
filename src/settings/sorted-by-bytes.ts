/** Half of a character that takes two units in UTF-16. */
const HALF = /[\ud800-\udfff]/;

/**
 * Texts in the order of their UTF-8 bytes. It is that of UTF-16 units, by which sorting takes a tenth of
 * the time, unless one of them has characters of two units.
 */
export function sortedByBytes(texts: Iterable<string>): string[] {
  const list = [...texts];
  return list.some((text) => HALF.test(text)) ? list.sort(compareBytes) : list.sort();
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
