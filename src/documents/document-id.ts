import { WrittenNumber } from '../validation/written-numbers.js';

/** Whether a JSON value can identify a document: an integer or a short word. */
function isDocumentId(value: unknown): value is string | number {
  if (typeof value === 'number') return Number.isInteger(value);
  return typeof value === 'string' && /^[a-zA-Z0-9_-]{1,511}$/.test(value);
}

/** The text form of a document id, `undefined` when the value cannot be one. */
export function documentIdOf(value: unknown): string | undefined {
  if (value instanceof WrittenNumber) return value.kind === 'number' ? undefined : value.text;
  return isDocumentId(value) ? String(value) : undefined;
}

/** Why a value cannot be a document id. */
export function invalidDocumentId(value: unknown): string {
  const shown = value instanceof WrittenNumber ? value.text : JSON.stringify(value);
  return `Document identifier \`${shown}\` is invalid. A document identifier can be of type integer or string, only composed of alphanumeric characters (a-z A-Z 0-9), hyphens (-) and underscores (_), and can not be more than 511 bytes.`;
}
