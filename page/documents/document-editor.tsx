import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api, type Document } from '../api/client.js';
import { messageOf } from '../shell/load.js';
import { Problem } from '../shell/notice.js';
import { succeeded } from './upload-state.js';

interface Props {
  readonly indexUid: string;
  /** Undefined for a new one. */
  readonly document: Document | undefined;
  /** Its identifier; undefined for a new one, and where it is not known: then nothing can be deleted by it. */
  readonly id: string | undefined;
  readonly onClose: (hasChanged: boolean) => void;
}

const EXAMPLE = '{\n  "id": 1\n}';

/** One document as JSON, to be changed or deleted. */
export function DocumentEditor({ indexUid, document: shown, id, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const text = useSignal(shown === undefined ? EXAMPLE : JSON.stringify(shown, null, 2));
  const problem = useSignal('');
  const isBusy = useSignal(false);
  useEffect(() => dialog.current?.showModal(), []);
  const run = async (write: () => Promise<{ taskUid: number }>): Promise<void> => {
    isBusy.value = true;
    try {
      await succeeded((await write()).taskUid);
      onClose(true);
    } catch (error) {
      problem.value = messageOf(error);
      isBusy.value = false;
    }
  };
  const save = (event: Event): void => {
    event.preventDefault();
    problem.value = problemOf(text.value);
    if (problem.value !== '') return;
    void run(() => api.addDocuments(indexUid, text.value, 'application/json'));
  };
  return (
    <dialog ref={dialog} aria-labelledby="editor-title" onClose={() => onClose(false)}>
      <form onSubmit={save}>
        <h2 id="editor-title">
          {shown === undefined ? 'New document' : `Document ${id ?? ''}`.trim()}
        </h2>
        <textarea
          class="code"
          aria-label="Document as JSON"
          spellcheck={false}
          rows={18}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
        <Problem text={problem.value} />
        <div class="actions">
          <button type="submit" class="primary" disabled={isBusy.value}>
            Save
          </button>
          <button type="button" onClick={() => onClose(false)}>
            Cancel
          </button>
          {id !== undefined && (
            <button
              type="button"
              class="danger"
              disabled={isBusy.value}
              onClick={() => void run(() => api.deleteDocument(indexUid, id))}
            >
              Delete
            </button>
          )}
        </div>
      </form>
    </dialog>
  );
}

/** Why a text is no document; empty when it is one. */
function problemOf(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? '' : 'A document is a JSON object.';
  } catch (error) {
    return `This is not JSON: ${messageOf(error)}`;
  }
}
