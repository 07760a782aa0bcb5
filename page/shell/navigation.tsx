import { useSignal } from '@preact/signals';
import { hasChat, indexes, indexUid } from './indexes.js';
import { goTo, hashOf, INDEX_VIEWS, type IndexView, route, type View } from './route.js';
import { key, refuseKey } from './session.js';

const LABELS: Readonly<Record<View, string>> = {
  search: 'Search',
  documents: 'Documents',
  settings: 'Settings',
  tasks: 'Tasks',
  keys: 'Keys',
  chat: 'Chat',
  new: 'New index',
};

/** The index in view, and the ways to every view. */
export function Navigation() {
  const uid = indexUid.value;
  const onServer: readonly View[] = hasChat.value ? ['tasks', 'keys', 'chat'] : ['tasks', 'keys'];
  return (
    <header class="side">
      <a class="brand" href={hashOf('search', uid)}>
        Serval
      </a>
      <div class="picker">
        {indexes.value === undefined ? <IndexName /> : <IndexPicker />}
        <a class="add" href={hashOf('new')} aria-label="New index" title="New index">
          +
        </a>
      </div>
      <nav aria-label="Views">
        <ul>
          {uid !== '' &&
            INDEX_VIEWS.map((view) => <NavigationItem key={view} view={view} indexUid={uid} />)}
          {onServer.map((view) => (
            <NavigationItem key={view} view={view} indexUid="" />
          ))}
        </ul>
      </nav>
      {key.value !== '' && (
        <button type="button" class="quiet leave" onClick={refuseKey}>
          Change key
        </button>
      )}
    </header>
  );
}

function NavigationItem({ view, indexUid: uid }: { view: View; indexUid: string }) {
  const isCurrent = route.value.view === view;
  return (
    <li>
      <a href={hashOf(view, uid)} aria-current={isCurrent ? 'page' : undefined}>
        {LABELS[view]}
      </a>
    </li>
  );
}

/** The view of another index: the same as now where it is about an index. */
function viewOf(uid: string): void {
  const { view } = route.value;
  const isAboutIndex = (INDEX_VIEWS as readonly string[]).includes(view);
  goTo(isAboutIndex ? (view as IndexView) : 'search', uid);
}

function IndexPicker() {
  const uid = indexUid.value;
  const uids = (indexes.value ?? []).map((one) => one.uid);
  const shown = uid === '' || uids.includes(uid) ? uids : [uid, ...uids];
  if (shown.length === 0) return <span class="none">No index yet</span>;
  return (
    <select aria-label="Index" value={uid} onChange={(event) => viewOf(event.currentTarget.value)}>
      {shown.map((one) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
    </select>
  );
}

/** For keys that may search but not list the indexes. */
function IndexName() {
  const text = useSignal(indexUid.value);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        viewOf(text.value.trim());
      }}
    >
      <input
        aria-label="Name of an index"
        placeholder="Name of an index"
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
      />
    </form>
  );
}
