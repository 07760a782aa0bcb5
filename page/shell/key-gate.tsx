import { useSignal } from '@preact/signals';
import { type Entry, enterWith } from './enter.js';
import { Problem } from './notice.js';

const REASONS: Readonly<Record<Entry, string>> = {
  in: '',
  refused: 'The server does not accept this key.',
  unreachable: 'The server cannot be reached.',
};

/** Asks for a key, again while the server refuses it. */
export function KeyGate({ first }: { first: Entry }) {
  const text = useSignal('');
  const problem = useSignal(first === 'unreachable' ? REASONS.unreachable : '');
  const isTrying = useSignal(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    isTrying.value = true;
    problem.value = REASONS[await enterWith(text.value)];
    isTrying.value = false;
  };
  return (
    <main class="gate">
      <form class="card" onSubmit={submit}>
        <h1>Serval</h1>
        <p>This server asks for a key. It is kept until you close this tab.</p>
        <label for="key">API key</label>
        <input
          id="key"
          type="password"
          autocomplete="off"
          required
          value={text.value}
          aria-describedby="key-problem"
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
        <Problem text={problem.value} id="key-problem" />
        <button type="submit" class="primary" disabled={isTrying.value}>
          Continue
        </button>
      </form>
    </main>
  );
}
