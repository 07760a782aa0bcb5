/** The greatest distance at which a spelling is close, by byte length of the received word. */
function allowedDistance(received: string): number {
  const bytes = Buffer.byteLength(received);
  if (bytes < 4) return 0;
  if (bytes < 8) return 1;
  if (bytes < 13) return 2;
  if (bytes < 18) return 3;
  return bytes < 25 ? 4 : 5;
}

/**
 * The accepted word nearest to a received one, if it is near enough; ties go to the first. Words
 * whose lengths alone are too far apart are not compared: what is received may be as long as a body.
 */
export function closestWord(received: string, accepted: readonly string[]): string | undefined {
  const longest = Math.max(0, ...accepted.map((word) => word.length));
  const allowed = allowedDistance(received);
  // No letter takes more than two units of a text, so this one has too many letters for any.
  if (received.length > 2 * (longest + allowed)) return undefined;
  const letters = letterCount(received);
  let best: string | undefined;
  let bestDistance = allowed + 1;
  for (const word of accepted) {
    if (Math.abs(letterCount(word) - letters) >= bestDistance) continue;
    const distance = editDistance(received, word);
    if (distance < bestDistance) {
      best = word;
      bestDistance = distance;
    }
  }
  return best;
}

const letterCount = (word: string): number => [...word].length;

/** The end of a message about an unknown word: the suggestion, then all accepted words. */
export function expectedOneOf(received: string, accepted: readonly string[]): string {
  const close = closestWord(received, accepted);
  const suggestion = close === undefined ? '' : `did you mean \`${close}\`? `;
  return `${suggestion}expected one of ${accepted.map((word) => `\`${word}\``).join(', ')}`;
}

/**
 * Damerau–Levenshtein distance: insertions, deletions, replacements and swaps of neighbours, where
 * letters may still be put between swapped ones. Costs the product of both lengths.
 */
export function editDistance(from: string, to: string): number {
  const source = [...from];
  const target = [...to];
  const lastRowOf = new Map<string, number>();
  const most = source.length + target.length;
  // Row and column 0 hold `most`, so that a swap with no earlier partner is never taken.
  const cost = Array.from({ length: source.length + 2 }, () =>
    new Array<number>(target.length + 2).fill(most),
  );
  const at = (row: number, column: number): number => cost[row]?.[column] ?? most;
  const put = (row: number, column: number, value: number): void => {
    const line = cost[row];
    if (line !== undefined) line[column] = value;
  };
  for (let row = 0; row <= source.length; row++) put(row + 1, 1, row);
  for (let column = 0; column <= target.length; column++) put(1, column + 1, column);
  for (let row = 1; row <= source.length; row++) {
    let lastColumn = 0;
    for (let column = 1; column <= target.length; column++) {
      const swapRow = lastRowOf.get(target[column - 1] as string) ?? 0;
      const swapColumn = lastColumn;
      const same = source[row - 1] === target[column - 1];
      if (same) lastColumn = column;
      const swap = at(swapRow, swapColumn) + (row - swapRow - 1) + 1 + (column - swapColumn - 1);
      const replace = at(row, column) + (same ? 0 : 1);
      put(
        row + 1,
        column + 1,
        Math.min(replace, at(row + 1, column) + 1, at(row, column + 1) + 1, swap),
      );
    }
    lastRowOf.set(source[row - 1] as string, row);
  }
  return at(source.length + 1, target.length + 1);
}
