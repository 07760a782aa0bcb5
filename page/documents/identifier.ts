import type { Document } from '../api/client.js';
import { textOf } from '../search/hit-parts.js';

/**
 * What identifies a document, as addresses hold it; undefined where that cannot be told, as of a primary key that is not
 * known. Like the server does, it looks for `ids.isbn` inside of objects, too.
 */
export function identifierOf(
  document: Document,
  primaryKey: string | undefined,
): string | undefined {
  if (primaryKey === undefined) return undefined;
  const [found, ...others] = valuesAt(document, primaryKey);
  const text = others.length === 0 ? textOf(found) : '';
  return text === '' ? undefined : text;
}

function valuesAt(object: object, path: string): unknown[] {
  return Object.entries(object).flatMap(([name, value]) => {
    if (name === path) return [value];
    const isInside = isObject(value) && path.startsWith(`${name}.`);
    return isInside ? valuesAt(value, path.slice(name.length + 1)) : [];
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
