import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Progress } from '../shell/notice.js';
import { type Upload, uploadAll, uploads } from './upload-state.js';

/** Takes files, chosen or dropped, and shows how far each is. */
export function UploadPanel({ indexUid }: { indexUid: string }) {
  const isOver = useSignal(false);
  const input = useRef<HTMLInputElement>(null);
  const take = (files: FileList | null | undefined): void => {
    if (files) void uploadAll(indexUid, files);
  };
  return (
    <section aria-label="Add documents" class="upload">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a place to drop files on; the button inside does the same */}
      <div
        class={isOver.value ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          isOver.value = true;
        }}
        onDragLeave={() => {
          isOver.value = false;
        }}
        onDrop={(event) => {
          event.preventDefault();
          isOver.value = false;
          take(event.dataTransfer?.files);
        }}
      >
        <p>
          <strong>Drop files here</strong> or{' '}
          <button type="button" onClick={() => input.current?.click()}>
            choose files
          </button>
        </p>
        <p class="muted">JSON, NDJSON or CSV</p>
        <input
          ref={input}
          class="hidden"
          type="file"
          multiple
          tabIndex={-1}
          aria-label="Files of documents"
          accept=".json,.ndjson,.jsonl,.csv"
          onChange={(event) => {
            take(event.currentTarget.files);
            event.currentTarget.value = '';
          }}
        />
      </div>
      <ul class="uploads" aria-live="polite">
        {uploads.value.map((one) => (
          <UploadLine key={one.id} upload={one} />
        ))}
      </ul>
    </section>
  );
}

const STATES: Readonly<Record<Upload['state'], string>> = {
  sending: 'Sending',
  waiting: 'Waiting',
  indexing: 'Indexing',
  done: 'Done',
  failed: 'Failed',
};

function UploadLine({ upload }: { upload: Upload }) {
  const { name, state, percentage, message } = upload;
  return (
    <li>
      <span class={`status ${state}`}>{STATES[state]}</span>
      <strong>{name}</strong>
      {state === 'indexing' && <Progress percentage={percentage} label={`Progress of ${name}`} />}
      {message !== '' && <span class={state === 'failed' ? 'problem' : ''}>{message}</span>}
    </li>
  );
}
