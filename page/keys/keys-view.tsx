import { useSignal } from '@preact/signals';
import { type ApiKey, api } from '../api/client.js';
import { messageOf, useLoaded } from '../shell/load.js';
import { Problem } from '../shell/notice.js';
import { NewKeyForm } from './new-key-form.js';

/** The keys of the server, and making another. */
export function KeysView() {
  const keys = useLoaded(() => api.keys(), []);
  const isAdding = useSignal(false);
  return (
    <>
      <div class="heading">
        <h1>Keys</h1>
        {!isAdding.value && keys.value.value !== undefined && (
          <button
            type="button"
            onClick={() => {
              isAdding.value = true;
            }}
          >
            New key
          </button>
        )}
      </div>
      <Problem text={keys.problem.value} />
      {isAdding.value && (
        <NewKeyForm
          onClose={() => {
            isAdding.value = false;
            keys.reload();
          }}
        />
      )}
      <ul class="keys">
        {keys.value.value?.results.map((one) => (
          <KeyCard key={one.uid} apiKey={one} onDelete={keys.reload} />
        ))}
      </ul>
    </>
  );
}

function KeyCard({ apiKey, onDelete }: { apiKey: ApiKey; onDelete: () => void }) {
  const { name, description, actions, indexes, expiresAt, uid } = apiKey;
  const isShown = useSignal(false);
  const isSure = useSignal(false);
  const problem = useSignal('');
  const title = name ?? uid;
  const remove = async (): Promise<void> => {
    try {
      await api.deleteKey(uid);
      onDelete();
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  return (
    <li class="card">
      <h2>{title}</h2>
      {description !== null && <p class="muted">{description}</p>}
      <dl>
        <div>
          <dt>Allows</dt>
          <dd>{actions.join(', ')}</dd>
        </div>
        <div>
          <dt>Indexes</dt>
          <dd>{indexes.join(', ')}</dd>
        </div>
        <div>
          <dt>Expires</dt>
          <dd>{expiresAt === null ? 'never' : new Date(expiresAt).toLocaleString('en')}</dd>
        </div>
      </dl>
      {isShown.value && <output class="secret code">{apiKey.key}</output>}
      <div class="actions">
        <button
          type="button"
          aria-expanded={isShown.value}
          aria-label={`${isShown.value ? 'Hide' : 'Show'} key ${title}`}
          onClick={() => {
            isShown.value = !isShown.value;
          }}
        >
          {isShown.value ? 'Hide key' : 'Show key'}
        </button>
        <button
          type="button"
          class="danger"
          aria-label={`${isSure.value ? 'Really delete' : 'Delete'} ${title}`}
          onClick={() => {
            if (isSure.value) void remove();
            else isSure.value = true;
          }}
          onBlur={() => {
            isSure.value = false;
          }}
        >
          {isSure.value ? 'Really delete?' : 'Delete'}
        </button>
      </div>
      <Problem text={problem.value} />
    </li>
  );
}
