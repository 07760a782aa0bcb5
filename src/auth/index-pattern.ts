/** Whether a pattern, a uid that may end with a star, covers the uid of an index. */
export function covers(pattern: string, uid: string): boolean {
  return pattern.endsWith('*') ? uid.startsWith(pattern.slice(0, -1)) : uid === pattern;
}

/** The pattern that decides on an index: its uid itself, else the longest one that covers it. */
export function decidingPattern(patterns: Iterable<string>, uid: string): string | undefined {
  let best: string | undefined;
  for (const pattern of patterns) {
    if (pattern === uid) return pattern;
    if (covers(pattern, uid) && pattern.length > (best?.length ?? -1)) best = pattern;
  }
  return best;
}

/** Patterns as messages list them: each once, in order, in quotes. */
export function listPatterns(patterns: Iterable<string>): string {
  const quoted = [...new Set(patterns)].sort().map((pattern) => JSON.stringify(pattern));
  return `[${quoted.join(', ')}]`;
}
