/**
 * Documents of up to this many bytes are kept in the row of their task, not in a file: until they
 * are, they stay in memory.
 */
export const INLINE_BYTES = 64 * 1024;
