import type { Records } from '../../src/records/records.js';

/** Records that forget everything with the process; values go through JSON as in the store. */
export function memoryRecords(): Records {
  const namespaces = new Map<string, Map<string, string>>();
  const of = (namespace: string): Map<string, string> => {
    const found = namespaces.get(namespace) ?? new Map<string, string>();
    namespaces.set(namespace, found);
    return found;
  };
  return {
    records: async (namespace) =>
      [...of(namespace)].sort().map(([key, json]) => [key, JSON.parse(json) as unknown]),
    putRecord: async (namespace, key, value) => {
      of(namespace).set(key, JSON.stringify(value));
    },
    deleteRecord: async (namespace, key) => of(namespace).delete(key),
  };
}
