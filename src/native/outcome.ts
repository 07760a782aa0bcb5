/** What a native call resolves to: its result, or why it failed. */
export type Outcome<T> = { ok: T } | { error: { code: string; message: string } };
