import { useEffect, useMemo } from 'preact/hooks';
import { Problem } from '../shell/notice.js';
import { FIELD_GROUPS, type Field } from './fields.js';
import { SettingsState } from './settings-state.js';

const MAX_ROWS = 14;

/** The settings of an index, edited as texts, checked while typing and again by the server. */
export function SettingsView({ indexUid }: { indexUid: string }) {
  const state = useMemo(() => new SettingsState(indexUid), [indexUid]);
  useEffect(() => void state.load(), [state]);
  const saved = state.saved.value;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void state.save();
      }}
    >
      <div class="heading">
        <h1>Settings</h1>
        <p class="muted">of {indexUid}</p>
      </div>
      <Problem text={state.problems.value.get('') ?? ''} />
      {saved !== undefined &&
        FIELD_GROUPS.map(([title, fields]) => (
          <section key={title} class="settings" aria-label={title}>
            <h2>{title}</h2>
            <div class="fields">
              {fields
                .filter(({ name }) => name in saved)
                .map((field) => (
                  <FieldEditor key={field.name} state={state} field={field} />
                ))}
            </div>
          </section>
        ))}
      <SaveBar state={state} />
    </form>
  );
}

function SaveBar({ state }: { state: SettingsState }) {
  const changes = state.changes.value;
  const isBroken = [...state.problems.value.keys()].some((name) =>
    state.drafts.value.has(name as never),
  );
  return (
    <div class={changes > 0 ? 'save-bar shown' : 'save-bar'}>
      <span role="status">
        {state.message.value ||
          (changes > 0 ? `${changes} ${changes === 1 ? 'change' : 'changes'}` : '')}
      </span>
      {changes > 0 && (
        <>
          <button type="button" onClick={() => state.discard()}>
            Discard
          </button>
          <button
            type="submit"
            class="primary"
            disabled={state.isSaving.value}
            aria-disabled={isBroken}
          >
            Save
          </button>
        </>
      )}
    </div>
  );
}

function FieldEditor({ state, field }: { state: SettingsState; field: Field }) {
  const { name, label, help } = field;
  const problem = state.problems.value.get(name) ?? '';
  const isChanged = state.drafts.value.has(name);
  return (
    <div class={isChanged ? 'field changed' : 'field'}>
      <label for={name}>{label}</label>
      <p class="muted" id={`${name}-help`}>
        {help}
      </p>
      <FieldInput state={state} field={field} hasProblem={problem !== ''} />
      <Problem text={problem} id={`${name}-problem`} />
    </div>
  );
}

interface InputProps {
  readonly state: SettingsState;
  readonly field: Field;
  readonly hasProblem: boolean;
}

function FieldInput({ state, field, hasProblem }: InputProps) {
  const { name } = field;
  const kind = state.kind(field);
  const text = state.drafts.value.get(name) ?? state.savedText(field);
  const common = {
    id: name,
    'aria-invalid': hasProblem,
    'aria-describedby': `${name}-help ${name}-problem`,
  };
  if (kind === 'switch') {
    return (
      <input
        {...common}
        type="checkbox"
        checked={text === 'true'}
        onChange={(event) => state.edit(field, String(event.currentTarget.checked))}
      />
    );
  }
  if (typeof kind === 'object') {
    return (
      <select
        {...common}
        value={text}
        onChange={(event) => state.edit(field, event.currentTarget.value)}
      >
        {kind.map((word) => (
          <option key={word}>{word}</option>
        ))}
      </select>
    );
  }
  if (kind === 'lines' || kind === 'json') {
    const rows = Math.min(MAX_ROWS, Math.max(2, text.split('\n').length));
    return (
      <textarea
        {...common}
        class="code"
        rows={rows}
        spellcheck={false}
        value={text}
        onInput={(event) => state.edit(field, event.currentTarget.value)}
      />
    );
  }
  return (
    <input
      {...common}
      inputMode={kind === 'number' ? 'numeric' : 'text'}
      value={text}
      onInput={(event) => state.edit(field, event.currentTarget.value)}
    />
  );
}
