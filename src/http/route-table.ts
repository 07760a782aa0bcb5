/** The paths that the server knows, to tell a wrong method from an unknown path. */
export class RouteTable {
  private readonly patterns = new Map<string, readonly string[]>();

  /** Adds a path pattern: parts that begin with a colon stand for any text. */
  add(pattern: string): void {
    this.patterns.set(pattern, partsOf(pattern));
  }

  /** Whether some method answers on a path. Scans all patterns: only refused requests come here. */
  knows(path: string): boolean {
    const parts = partsOf(path);
    return [...this.patterns.values()].some(
      (pattern) =>
        pattern.length === parts.length &&
        pattern.every((part, index) => part.startsWith(':') || part === parts[index]),
    );
  }
}

/** The parts of a path; slashes at the end and repeated ones do not count. */
function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}
