import { useSignal } from '@preact/signals';
import { api } from '../api/client.js';
import { loadIndexes } from '../shell/indexes.js';
import { messageOf } from '../shell/load.js';
import { Problem } from '../shell/notice.js';
import { goTo } from '../shell/route.js';
import { succeeded } from './upload-state.js';

/** Makes an index; its documents are added in the next view. */
export function NewIndexView() {
  const name = useSignal('');
  const primaryKey = useSignal('');
  const problem = useSignal('');
  const create = async (event: Event): Promise<void> => {
    event.preventDefault();
    problem.value = '';
    try {
      await succeeded((await api.createIndex(name.value, primaryKey.value || null)).taskUid);
      await loadIndexes();
      goTo('documents', name.value);
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  return (
    <>
      <h1>New index</h1>
      <form class="card stack" onSubmit={create}>
        <label for="index-name">Name</label>
        <input
          id="index-name"
          required
          autocomplete="off"
          placeholder="movies"
          value={name.value}
          onInput={(event) => {
            name.value = event.currentTarget.value;
          }}
        />
        <label for="primary-key">Attribute that identifies documents</label>
        <input
          id="primary-key"
          autocomplete="off"
          placeholder="found in the first documents when empty"
          value={primaryKey.value}
          onInput={(event) => {
            primaryKey.value = event.currentTarget.value;
          }}
        />
        <Problem text={problem.value} />
        <div class="actions">
          <button type="submit" class="primary">
            Create
          </button>
        </div>
      </form>
    </>
  );
}
