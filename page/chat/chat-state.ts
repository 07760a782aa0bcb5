import { signal } from '@preact/signals';
import { api, type Document } from '../api/client.js';
import { messageOf } from '../shell/load.js';

/** What was said, and what it stands on. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  readonly searches: readonly string[];
  readonly sources: readonly Document[];
}

interface ToolCall {
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

interface Chunk {
  readonly choices?: readonly {
    readonly delta?: {
      readonly content?: string | null;
      readonly tool_calls?: readonly ToolCall[];
    };
  }[];
  readonly error?: { readonly message?: string };
}

const REPORTS = ['_svcSearchProgress', '_svcSearchSources', '_svcAppendConversationMessage'];
const TOOLS = REPORTS.map((name) => ({
  type: 'function',
  function: { name, description: 'Reports what the server does.' },
}));

/** One conversation with a workspace. */
export class ChatState {
  readonly turns = signal<readonly Turn[]>([]);
  readonly problem = signal('');
  readonly isAnswering = signal(false);
  /** What the provider is sent: what was said, with the searches between. */
  #messages: unknown[] = [];
  #running = new AbortController();

  /** Asks, and adds to the answer as it comes. */
  async ask(workspace: string, model: string, text: string): Promise<void> {
    this.#messages.push({ role: 'user', content: text });
    const asked: Turn = { role: 'user', text, searches: [], sources: [] };
    this.turns.value = [...this.turns.value, asked, { ...asked, role: 'assistant', text: '' }];
    this.problem.value = '';
    this.isAnswering.value = true;
    this.#running = new AbortController();
    const body = { model, messages: this.#messages, stream: true, tools: TOOLS };
    try {
      for await (const data of api.chat(workspace, body, this.#running.signal)) {
        if (data === '[DONE]') break;
        this.#take(JSON.parse(data) as Chunk);
      }
    } catch (error) {
      if (!this.#running.signal.aborted) this.problem.value = messageOf(error);
    }
    this.#messages.push({ role: 'assistant', content: this.turns.value.at(-1)?.text ?? '' });
    this.isAnswering.value = false;
  }

  stop(): void {
    this.#running.abort();
  }

  #take({ choices, error }: Chunk): void {
    if (error !== undefined) this.problem.value = error.message ?? 'The answer failed.';
    const delta = choices?.[0]?.delta;
    if (delta?.content) this.#change((turn) => ({ ...turn, text: turn.text + delta.content }));
    for (const call of delta?.tool_calls ?? []) this.#report(call);
  }

  #report({ function: { name, arguments: text = '{}' } = {} }: ToolCall): void {
    const report = JSON.parse(text);
    if (name === '_svcAppendConversationMessage') this.#messages.push(report);
    if (name === '_svcSearchProgress') {
      const search = searchOf(String(report.function_arguments));
      this.#change((turn) => ({ ...turn, searches: [...turn.searches, search] }));
    }
    if (name === '_svcSearchSources') {
      this.#change((turn) => ({ ...turn, sources: [...turn.sources, ...report.sources] }));
    }
  }

  #change(change: (turn: Turn) => Turn): void {
    const last = this.turns.value.at(-1);
    if (last !== undefined) this.turns.value = [...this.turns.value.slice(0, -1), change(last)];
  }
}

/** A search of the model in words. */
function searchOf(text: string): string {
  try {
    const { index_uid: uid, q, filter } = JSON.parse(text);
    return `${uid}: ${q || 'everything'}${filter ? ` where ${filter}` : ''}`;
  } catch {
    return text;
  }
}
