import type { Records } from '../../src/records/records.js';

/** Records that forget everything with the process; values go through JSON as in the store. */
export function memoryRecords(): Records {
  const namespaces = new Map<string, Map<string, string>>();
  const of = (namespace: string): Map<string, string> => {
    const found = namespaces.get(namespace) ?? new Map<string, string>();
    namespaces.set(namespace, found);
    return found;
  };
  const put = async (namespace: string, key: string, value: unknown): Promise<void> => {
    of(namespace).set(key, JSON.stringify(value));
  };
  return {
    records: async (namespace) =>
      [...of(namespace)].sort().map(([key, json]) => [key, JSON.parse(json) as unknown]),
    putRecord: put,
    putRecords: async (namespace, records) => {
      for (const [key, value] of records) await put(namespace, key, value);
    },
    deleteRecord: async (namespace, key) => of(namespace).delete(key),
  };
}
