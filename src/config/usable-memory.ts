import { totalmem } from 'node:os';

/**
 * Bytes that this process may use at most: the memory of the machine, or less where a container or a service limits it.
 * A limit above the memory, or of zero, is none.
 */
export function usableMemory(total = totalmem(), limit = process.constrainedMemory()): number {
  return limit > 0 ? Math.min(total, limit) : total;
}
