/** Durable JSON values by namespace and key; what is put is on disk when the promise resolves. */
export interface Records {
  records(namespace: string): Promise<[key: string, value: unknown][]>;
  putRecord(namespace: string, key: string, value: unknown): Promise<void>;
  /** Puts all of them or, where that fails, none. */
  putRecords(
    namespace: string,
    records: readonly (readonly [key: string, value: unknown])[],
  ): Promise<void>;
  /** False when there was none. */
  deleteRecord(namespace: string, key: string): Promise<boolean>;
}
