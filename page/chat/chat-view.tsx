import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { api } from '../api/client.js';
import { partsOf } from '../search/hit-parts.js';
import { useLoaded } from '../shell/load.js';
import { Empty, Problem } from '../shell/notice.js';
import { ChatState, type Turn } from './chat-state.js';

/** A conversation over the documents, with the sources of each answer. */
export function ChatView() {
  const state = useMemo(() => new ChatState(), []);
  const workspaces = useLoaded(() => api.chats(), []);
  const chosen = useSignal('');
  const model = useSignal('');
  const text = useSignal('');
  const uids = workspaces.value.value?.results.map(({ uid }) => uid) ?? [];
  const workspace = chosen.value || uids[0] || '';
  const ask = (event: Event): void => {
    event.preventDefault();
    const question = text.value.trim();
    if (question === '' || state.isAnswering.value) return;
    text.value = '';
    void state.ask(workspace, model.value, question);
  };
  return (
    <div class="chat">
      <div class="heading">
        <h1>Chat</h1>
        {uids.length > 0 && (
          <>
            <select
              aria-label="Workspace"
              value={workspace}
              onChange={(event) => {
                chosen.value = event.currentTarget.value;
              }}
            >
              {uids.map((uid) => (
                <option key={uid}>{uid}</option>
              ))}
            </select>
            <input
              aria-label="Model"
              placeholder="Model"
              value={model.value}
              onInput={(event) => {
                model.value = event.currentTarget.value;
              }}
            />
          </>
        )}
      </div>
      <Problem text={workspaces.problem.value} />
      {workspaces.value.value !== undefined && uids.length === 0 && (
        <Empty title="No workspace yet">
          <p>
            A workspace says which service answers. Make one with{' '}
            <code>PATCH /chats/NAME/settings</code>.
          </p>
        </Empty>
      )}
      <ol class="turns" aria-live="polite" aria-busy={state.isAnswering.value}>
        {state.turns.value.map((turn, at) => (
          <TurnView key={at} turn={turn} />
        ))}
      </ol>
      <Problem text={state.problem.value} />
      {uids.length > 0 && (
        <form class="ask" onSubmit={ask}>
          <input
            aria-label="Question"
            placeholder="Ask about your documents"
            autocomplete="off"
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value;
            }}
          />
          {state.isAnswering.value ? (
            <button type="button" onClick={() => state.stop()}>
              Stop
            </button>
          ) : (
            <button type="submit" class="primary">
              Ask
            </button>
          )}
        </form>
      )}
    </div>
  );
}

function TurnView({ turn }: { turn: Turn }) {
  return (
    <li class={`turn ${turn.role}`}>
      <span class="hidden">{turn.role === 'user' ? 'You' : 'Answer'}</span>
      {turn.searches.map((search, at) => (
        <p key={at} class="muted">
          Searched {search}
        </p>
      ))}
      <p class="text">{turn.text}</p>
      {turn.sources.length > 0 && (
        <details class="sources">
          <summary>
            {turn.sources.length} {turn.sources.length === 1 ? 'source' : 'sources'}
          </summary>
          <ul>
            {turn.sources.map((source, at) => (
              <li key={at}>
                <strong>{partsOf(source).title}</strong> {partsOf(source).text}
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}
