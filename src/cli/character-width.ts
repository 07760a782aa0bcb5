/** Characters that stand on the one before, and those that are not seen. */
const NOTHING = /^[\p{Mn}\p{Me}\p{Cf}\ufdd0\ufdd1]$/u;
/** Those of East Asian scripts that fill two columns, and pictures. */
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation})$/u;

/** Columns of a terminal that a character takes. */
export function columnsOf(character: string): number {
  if (NOTHING.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
