/** A place in JSON: names of members and numbers of items. */
export type Path = readonly (string | number)[];

/** The text of a place: `request.input[0]`. */
export function pathText(root: string, path: Path): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}.${part}`),
    root,
  );
}

/** The value at a place; `undefined` when there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  let found = value;
  for (const part of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) {
      return undefined;
    }
    found = (found as Record<string | number, unknown>)[part];
  }
  return found;
}

/** A copy of JSON in which the value at a place is another one. */
export function withValueAt(value: unknown, path: Path, inserted: unknown): unknown {
  const [part, ...rest] = path;
  if (part === undefined) return inserted;
  if (Array.isArray(value)) {
    return value.map((item, place) => (place === part ? withValueAt(item, rest, inserted) : item));
  }
  const members = value as Readonly<Record<string, unknown>>;
  return { ...members, [part]: withValueAt(members[part], rest, inserted) };
}
