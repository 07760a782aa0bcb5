import { useSignal } from '@preact/signals';
import { ACTIONS, type KeyAction } from '../../src/auth/actions.js';
import { api } from '../api/client.js';
import { messageOf } from '../shell/load.js';
import { Problem } from '../shell/notice.js';

/** Makes a key: what it allows, on which indexes, until when. */
export function NewKeyForm({ onClose }: { onClose: () => void }) {
  const name = useSignal('');
  const indexes = useSignal('*');
  const expires = useSignal('');
  const actions = useSignal<ReadonlySet<KeyAction>>(new Set(['search']));
  const problem = useSignal('');
  const create = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await api.createKey({
        name: name.value || null,
        description: null,
        actions: [...actions.value],
        indexes: indexes.value.split(',').map((uid) => uid.trim()),
        expiresAt: expires.value === '' ? null : new Date(expires.value).toISOString(),
      });
      onClose();
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  const toggle = (action: KeyAction): void => {
    const next = new Set(actions.value);
    if (!next.delete(action)) next.add(action);
    actions.value = next;
  };
  return (
    <form class="card stack" onSubmit={create} aria-label="New key">
      <label for="key-name">Name</label>
      <input
        id="key-name"
        autocomplete="off"
        value={name.value}
        onInput={(event) => {
          name.value = event.currentTarget.value;
        }}
      />
      <label for="key-indexes">Indexes, separated by commas</label>
      <input
        id="key-indexes"
        autocomplete="off"
        value={indexes.value}
        onInput={(event) => {
          indexes.value = event.currentTarget.value;
        }}
      />
      <label for="key-expires">Expires; never when empty</label>
      <input
        id="key-expires"
        type="datetime-local"
        value={expires.value}
        onInput={(event) => {
          expires.value = event.currentTarget.value;
        }}
      />
      <fieldset class="choices">
        <legend>Allows</legend>
        {ACTIONS.map((action) => (
          <label key={action} class="choice">
            <input
              type="checkbox"
              checked={actions.value.has(action)}
              onChange={() => toggle(action)}
            />
            <span class="value">{action === '*' ? '* (everything)' : action}</span>
          </label>
        ))}
      </fieldset>
      <Problem text={problem.value} />
      <div class="actions">
        <button type="submit" class="primary">
          Create key
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}
