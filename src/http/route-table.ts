/** The paths that the server knows, to tell a wrong method from an unknown path. */
export class RouteTable {
  private readonly patterns = new Map<string, { parts: readonly string[]; methods: Set<string> }>();

  /** Adds methods of a path pattern: parts that begin with a colon stand for any text. */
  add(pattern: string, methods: readonly string[]): void {
    const known = this.patterns.get(pattern) ?? { parts: partsOf(pattern), methods: new Set() };
    this.patterns.set(pattern, known);
    for (const method of methods) known.methods.add(method);
  }

  /**
   * The methods that answer on a path, in alphabetical order; `undefined` on unknown paths. Scans
   * all patterns: only refused requests come here.
   */
  methodsOf(path: string): string[] | undefined {
    const parts = partsOf(path);
    const fitting = [...this.patterns.values()].filter(
      (pattern) =>
        pattern.parts.length === parts.length &&
        pattern.parts.every((part, index) => part.startsWith(':') || part === parts[index]),
    );
    // Where a name stands in the place of a parameter, the name counts.
    const [found] = fitting.sort((one, other) => parameters(one.parts) - parameters(other.parts));
    return found === undefined ? undefined : [...found.methods].sort();
  }
}

/** The parts of a path; slashes at the end and repeated ones do not count. */
function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}

const parameters = (parts: readonly string[]): number =>
  parts.filter((part) => part.startsWith(':')).length;
