/** The largest identifier of a task or a batch: they are of 32 bits. */
export const LARGEST_UID = 2 ** 32 - 1;

/** The identifier of a task or a batch that a text spells out; `undefined` when it spells none. */
export function uidOf(text: string): number | undefined {
  return /^\+?\d+$/.test(text) && Number(text) <= LARGEST_UID ? Number(text) : undefined;
}
