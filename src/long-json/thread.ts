import { type MessagePort, parentPort } from 'node:worker_threads';
import { ApiError } from '../errors/api-error.js';
import { unexpectedReason } from '../errors/system-error.js';
import { LONG_JSON_WORK } from './long-json-work.js';
import { type Answered, type Asked, ownMemory } from './messages.js';

// The thread that works on megabytes of JSON: one piece of work after another.
serve(parentPort as MessagePort);

function serve(owner: MessagePort): void {
  owner.on('message', ({ call, name, given }: Asked) => {
    const answer = (answered: Answered, moved: readonly ArrayBuffer[] = []) =>
      owner.postMessage(answered, moved);
    try {
      const work = LONG_JSON_WORK[name] as (...given: readonly unknown[]) => unknown;
      const value = work(...given);
      answer({ call, value }, memoryOf(value));
    } catch (error) {
      if (error instanceof ApiError) answer({ call, code: error.code, message: error.message });
      else answer({ call, failure: unexpectedReason(error) });
    }
  });
}

/** The memory of a value that goes with it, rather than to be copied: that of its long bytes. */
function memoryOf(value: unknown): ArrayBuffer[] {
  const parts = value instanceof Uint8Array ? [value] : Object.values(value as object);
  return parts.flatMap((part: unknown) => (part instanceof Uint8Array ? ownMemory(part) : []));
}
