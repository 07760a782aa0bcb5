import { useEffect } from 'preact/hooks';
import { ChatView } from './chat/chat-view.js';
import { DocumentsView } from './documents/documents-view.js';
import { NewIndexView } from './documents/new-index-view.js';
import { KeysView } from './keys/keys-view.js';
import { SearchView } from './search/search-view.js';
import { SettingsView } from './settings/settings-view.js';
import type { Entry } from './shell/enter.js';
import { indexUid, loadIndexes, rememberIndex } from './shell/indexes.js';
import { KeyGate } from './shell/key-gate.js';
import { Navigation } from './shell/navigation.js';
import { Empty } from './shell/notice.js';
import { hashOf, INDEX_VIEWS, route } from './shell/route.js';
import { asksForKey, key } from './shell/session.js';
import { TasksView } from './tasks/tasks-view.js';
import { finishedBatches, watchBatches } from './tasks/watch-batches.js';

/** The whole page: the gate while a key is wanted, else navigation and one view. */
export function App({ first }: { first: Entry }) {
  if (asksForKey.value) return <KeyGate first={first} />;
  return <Inside key={key.value} />;
}

function Inside() {
  const { view } = route.value;
  const uid = indexUid.value;
  useEffect(() => watchBatches(), []);
  useEffect(() => {
    // Others make and delete indexes, too. What fails here fails in the view, which says so.
    if (finishedBatches.value > 0) loadIndexes().catch(() => undefined);
  }, [finishedBatches.value]);
  useEffect(() => {
    rememberIndex();
    document.title = uid === '' ? 'Serval' : `${uid} · Serval`;
  }, [uid, view]);
  return (
    <div class="frame">
      <button
        type="button"
        class="skip"
        onClick={() => document.getElementById('content')?.focus()}
      >
        Skip to content
      </button>
      <Navigation />
      <main id="content" tabIndex={-1}>
        <CurrentView />
      </main>
    </div>
  );
}

function CurrentView() {
  const { view } = route.value;
  const uid = indexUid.value;
  if (view === 'tasks') return <TasksView />;
  if (view === 'keys') return <KeysView />;
  if (view === 'chat') return <ChatView />;
  if (view === 'new') return <NewIndexView />;
  if (uid === '') return <NoIndex />;
  if (view === 'documents') return <DocumentsView key={uid} indexUid={uid} />;
  if (view === 'settings') return <SettingsView key={uid} indexUid={uid} />;
  return <SearchView key={uid} indexUid={uid} />;
}

function NoIndex() {
  return (
    <>
      <h1 class="hidden">{INDEX_VIEWS[0]}</h1>
      <Empty title="Nothing to search yet">
        <p>An index holds the documents of one kind: films, products, places.</p>
        <a class="button primary" href={hashOf('new')}>
          Make the first index
        </a>
      </Empty>
    </>
  );
}
