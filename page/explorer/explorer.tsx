import { useComputed, useSignal } from '@preact/signals';
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { key, useKey } from '../shell/session.js';
import { type ApiDocument, type Operation, operationsOf } from './document.js';
import { OperationView } from './operation-view.js';

/** The name of the route that the address names. */
const named = (): string => location.hash.slice(1);

const isAbout = ({ path, summary, id, method }: Operation, words: string): boolean =>
  `${method} ${path} ${summary} ${id}`.toLowerCase().includes(words.trim().toLowerCase());

/** All routes, and the chosen one. */
function Explorer({ document: api }: { document: ApiDocument }) {
  const operations = operationsOf(api);
  const chosen = useSignal(named());
  const words = useSignal('');
  useEffect(() => {
    const follow = (): void => {
      chosen.value = named();
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const found = useComputed(() => operations.filter((one) => isAbout(one, words.value)));
  const operation = operations.find(({ id }) => id === chosen.value) ?? operations[0];
  return (
    <div class="explorer">
      <nav aria-label="Routes">
        <h1>
          {api.info.title} <span class="muted">{api.info.version}</span>
        </h1>
        <label for="key">API key</label>
        <input
          id="key"
          type="password"
          autocomplete="off"
          value={key.value}
          onInput={(event) => useKey(event.currentTarget.value)}
        />
        <label for="filter">Find a route</label>
        <input
          id="filter"
          type="search"
          value={words.value}
          onInput={(event) => {
            words.value = event.currentTarget.value;
          }}
        />
        {api.tags.map(({ name, description }) => {
          const ofTag = found.value.filter(({ tag }) => tag === name);
          return ofTag.length === 0 ? null : (
            <section key={name} aria-label={name}>
              <h2 title={description}>{name}</h2>
              <ul>
                {ofTag.map(({ id, method, path, summary }) => (
                  <li key={id}>
                    <a
                      href={`#${id}`}
                      title={summary}
                      {...(id === operation?.id ? { 'aria-current': 'page' as const } : {})}
                    >
                      <span class="method">{method}</span> {path}
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          );
        })}
        <p>
          <a href="/openapi.json">openapi.json</a>
        </p>
      </nav>
      <main>
        {operation === undefined ? null : (
          <OperationView key={operation.id} document={api} operation={operation} />
        )}
      </main>
    </div>
  );
}

const root = document.getElementById('app');
const response = await fetch('/openapi.json');
const api = (await response.json()) as ApiDocument;
if (root !== null) render(<Explorer document={api} />, root);
