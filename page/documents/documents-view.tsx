import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, type Document } from '../api/client.js';
import { textOf } from '../search/hit-parts.js';
import { forgetIndex, loadIndexes } from '../shell/indexes.js';
import { messageOf, useLoaded } from '../shell/load.js';
import { Problem } from '../shell/notice.js';
import { goTo } from '../shell/route.js';
import { finishedBatches } from '../tasks/watch-batches.js';
import { DocumentEditor } from './document-editor.js';
import { identifierOf } from './identifier.js';
import { UploadPanel } from './upload-panel.js';
import { succeeded } from './upload-state.js';

const PAGE_SIZE = 20;

/** What the editor is open on. */
interface Edited {
  readonly id: string | undefined;
  readonly document: Document | undefined;
}

/** The documents of an index: adding files, paging through them, changing one. */
export function DocumentsView({ indexUid }: { indexUid: string }) {
  const offset = useSignal(0);
  const filter = useSignal('');
  const edited = useSignal<Edited | undefined>(undefined);
  const info = useLoaded(() => api.index(indexUid), [indexUid, finishedBatches.value]);
  const listed = useLoaded(
    () => api.documents(indexUid, offset.value, PAGE_SIZE, filter.value),
    [indexUid, offset.value, filter.value, finishedBatches.value],
  );
  const { results = [], total = 0 } = listed.value.value ?? {};
  const primaryKey = info.value.value?.primaryKey ?? undefined;
  useEffect(() => {
    if (offset.value > 0 && offset.value >= total) offset.value = 0;
  }, [total]);
  return (
    <>
      <div class="heading">
        <h1>Documents</h1>
        <p class="muted">
          {total.toLocaleString('en')} in {indexUid}
          {primaryKey !== undefined && `, identified by ${primaryKey}`}
        </p>
        <button
          type="button"
          onClick={() => {
            edited.value = { id: undefined, document: undefined };
          }}
        >
          New document
        </button>
      </div>
      <UploadPanel indexUid={indexUid} />
      <div class="row">
        <label for="document-filter">Filter</label>
        <input
          id="document-filter"
          placeholder="an expression over filterable attributes"
          value={filter.value}
          onChange={(event) => {
            filter.value = event.currentTarget.value;
            offset.value = 0;
          }}
        />
      </div>
      <Problem text={listed.problem.value} />
      <ul class="documents">
        {results.map((document, at) => {
          const id = identifierOf(document, primaryKey);
          return (
            <li key={id ?? at}>
              <button
                type="button"
                onClick={() => {
                  edited.value = { id, document };
                }}
              >
                <span class="number">{id}</span>
                <span class="preview">{previewOf(document, primaryKey)}</span>
              </button>
            </li>
          );
        })}
      </ul>
      <Pager offset={offset.value} total={total} onMove={(to) => (offset.value = to)} />
      <DeleteIndex indexUid={indexUid} />
      {edited.value !== undefined && (
        <DocumentEditor
          indexUid={indexUid}
          {...edited.value}
          onClose={(hasChanged) => {
            edited.value = undefined;
            if (hasChanged) listed.reload();
          }}
        />
      )}
    </>
  );
}

function previewOf(document: Document, primaryKey: string | undefined): string {
  return Object.entries(document)
    .filter(([name]) => name !== primaryKey)
    .map(([, value]) => textOf(value))
    .filter(Boolean)
    .join(' · ');
}

interface PagerProps {
  readonly offset: number;
  readonly total: number;
  readonly onMove: (offset: number) => void;
}

function Pager({ offset, total, onMove }: PagerProps) {
  if (total <= PAGE_SIZE) return null;
  const last = Math.min(offset + PAGE_SIZE, total);
  return (
    <div class="pager">
      <button type="button" disabled={offset === 0} onClick={() => onMove(offset - PAGE_SIZE)}>
        Previous
      </button>
      <span>
        {(offset + 1).toLocaleString('en')} to {last.toLocaleString('en')} of{' '}
        {total.toLocaleString('en')}
      </span>
      <button type="button" disabled={last >= total} onClick={() => onMove(offset + PAGE_SIZE)}>
        Next
      </button>
    </div>
  );
}

/** Deletes the index once its name is typed. */
function DeleteIndex({ indexUid }: { indexUid: string }) {
  const typed = useSignal('');
  const problem = useSignal('');
  const remove = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await succeeded((await api.deleteIndex(indexUid)).taskUid);
      forgetIndex();
      await loadIndexes();
      goTo('search');
    } catch (error) {
      problem.value = messageOf(error);
    }
  };
  return (
    <details class="delete-index">
      <summary>Delete this index</summary>
      <form class="row" onSubmit={remove}>
        <label for="delete-index">Type its name to delete it</label>
        <input
          id="delete-index"
          autocomplete="off"
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
        />
        <button type="submit" class="danger" disabled={typed.value !== indexUid}>
          Delete {indexUid}
        </button>
      </form>
      <Problem text={problem.value} />
    </details>
  );
}
