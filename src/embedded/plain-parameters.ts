import { whereOf } from './condition.js';

/**
 * Parameters as requests hold them: plain JSON, with the text of the filter. What is no object stays
 * as it is, to be refused.
 */
export function plainParameters<Given>(given: Given): Given | Record<string, unknown> {
  const plain = present(given);
  if (!isObject(plain)) return given;
  const { signal: _, ...parameters } = plain;
  if ('filter' in parameters) parameters.filter = plainFilter(parameters.filter);
  return parameters;
}

/** An object without what is undefined in it, which stands for absent; any other value as it is. */
export function present(given: unknown): unknown {
  if (!isObject(given)) return given;
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A filter as requests hold it. */
function plainFilter(filter: unknown): unknown {
  if (typeof filter === 'function') return String(filter(whereOf()));
  return filter == null ? null : JSON.parse(JSON.stringify(filter));
}
