import { randomUUID } from 'node:crypto';
import type { ToolCallDelta } from './provider.js';
import { ProviderError } from './provider-error.js';

/** Calls of one round at the most. */
const MAX_CALLS = 32;
/** Characters of the arguments of one call at the most. */
const MAX_ARGUMENTS_LENGTH = 64 * 1024;

/** A complete call of a tool, as it stands in a message of an assistant. */
export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Calls that come in pieces. */
export class ToolCalls {
  readonly #calls = new Map<number, { id: string; name: string; arguments: string }>();

  get size(): number {
    return this.#calls.size;
  }

  /** Adds the pieces of a chunk. */
  add(deltas: readonly ToolCallDelta[]): void {
    for (const [at, delta] of deltas.entries()) {
      const call = this.#callAt(delta.index ?? at);
      call.id ||= delta.id ?? '';
      call.name += delta.function?.name ?? '';
      call.arguments += delta.function?.arguments ?? '';
      if (call.arguments.length + call.name.length > MAX_ARGUMENTS_LENGTH) {
        throw new ProviderError('invalid_argument', 'the arguments of a tool call are too long');
      }
    }
  }

  /** The calls in order; they are forgotten here. */
  take(): ToolCall[] {
    const calls = [...this.#calls.entries()].sort(([a], [b]) => a - b);
    this.#calls.clear();
    return calls.map(([, { id, name, arguments: text }]) => ({
      id: id === '' ? randomUUID() : id,
      type: 'function',
      function: { name, arguments: text },
    }));
  }

  #callAt(index: number) {
    const known = this.#calls.get(index);
    if (known !== undefined) return known;
    if (this.#calls.size >= MAX_CALLS) {
      throw new ProviderError('invalid_argument', 'too many tool calls in one answer');
    }
    const call = { id: '', name: '', arguments: '' };
    this.#calls.set(index, call);
    return call;
  }
}
