import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type ApiDocument, type Content, type Operation, schemaText } from './document.js';
import { curlOf, exchange, type Filled, type Shown } from './exchange.js';
import { ParameterFields } from './parameter-fields.js';

function initially({ parameters, body }: Operation): Filled {
  const examples = parameters.flatMap(({ name, example }) =>
    example === undefined ? [] : [[name, String(example)] as const],
  );
  const [contentType = ''] =
    Object.entries(body ?? {}).find(([, { example }]) => example !== undefined) ??
    Object.keys(body ?? {});
  return { values: Object.fromEntries(examples), contentType, body: textOf(body, contentType) };
}

function textOf(body: Content | undefined, contentType: string): string {
  const example = body?.[contentType]?.example;
  if (example === undefined) return '';
  return contentType === 'application/json' ? JSON.stringify(example, null, 2) : String(example);
}

/** One route: what it takes and answers, and a form that tries it. */
export function OperationView({
  document,
  operation,
}: {
  document: ApiDocument;
  operation: Operation;
}) {
  const { method, path, summary, description, actions, body, answers } = operation;
  const filled = useSignal(initially(operation));
  const shown = useSignal<Shown | undefined>(undefined);
  const problem = useSignal('');
  const running = useSignal<AbortController | undefined>(undefined);
  useEffect(() => () => running.peek()?.abort(), [operation]);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    running.value?.abort();
    const controller = new AbortController();
    running.value = controller;
    problem.value = '';
    shown.value = undefined;
    try {
      const show = (one: Shown): void => {
        shown.value = one;
      };
      await exchange(operation, filled.value, show, controller.signal);
    } catch (error) {
      if (!controller.signal.aborted) problem.value = String(error);
    }
    if (running.value === controller) running.value = undefined;
  };
  return (
    <article class="operation">
      <h2>
        <span class="method">{method}</span> <span class="code">{path}</span>
      </h2>
      <p>{summary}</p>
      {description === undefined ? null : <p class="muted">{description}</p>}
      <p class="muted">
        {actions.length === 0
          ? 'Open to everyone.'
          : `Asks for: ${actions.map((all) => all.join(' and ')).join(', or ')}`}
      </p>
      <form onSubmit={send}>
        <ParameterFields operation={operation} filled={filled} />
        {body === undefined ? null : (
          <div class="field">
            <label for="body">Body</label>
            <select
              aria-label="Media type of the body"
              value={filled.value.contentType}
              onChange={(event) => {
                const contentType = event.currentTarget.value;
                filled.value = { ...filled.value, contentType, body: textOf(body, contentType) };
              }}
            >
              {Object.keys(body).map((type) => (
                <option key={type} value={type}>
                  {type}
                </option>
              ))}
            </select>
            <textarea
              id="body"
              class="code"
              rows={10}
              spellcheck={false}
              value={filled.value.body}
              onInput={(event) => {
                filled.value = { ...filled.value, body: event.currentTarget.value };
              }}
            />
          </div>
        )}
        <div class="actions">
          <button type="submit" class="primary">
            Send
          </button>
          {running.value === undefined ? null : (
            <button type="button" onClick={() => running.value?.abort()}>
              Stop
            </button>
          )}
        </div>
      </form>
      <div aria-live="polite">
        {problem.value === '' ? null : <p class="danger">{problem.value}</p>}
        {shown.value === undefined ? null : (
          <section class="answer" aria-label="Answer">
            <p>
              <strong class={shown.value.status < 400 ? 'good' : 'danger'}>
                {shown.value.status}
              </strong>{' '}
              <span class="muted">
                {shown.value.contentType} {shown.value.milliseconds} ms
              </span>
            </p>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
            <pre class="code" tabIndex={0}>
              {shown.value.text}
            </pre>
          </section>
        )}
      </div>
      <details>
        <summary>As a command</summary>
        <pre class="code">{curlOf(operation, filled.value)}</pre>
      </details>
      {body === undefined ? null : (
        <details>
          <summary>Schema of the body</summary>
          <pre class="code">
            {schemaText(document, body[filled.value.contentType]?.schema ?? {})}
          </pre>
        </details>
      )}
      <h3>Answers</h3>
      <ul class="answers">
        {answers.map(([status, { description: words, content }]) => (
          <li key={status}>
            <details>
              <summary>
                <strong>{status}</strong> {words.split('\n')[0]}
              </summary>
              <pre class="code">{words}</pre>
              {Object.entries(content ?? {}).map(([type, { schema, example }]) => (
                <div key={type}>
                  <p class="muted">{type}</p>
                  {example === undefined ? null : (
                    <pre class="code">
                      {typeof example === 'string' ? example : JSON.stringify(example, null, 2)}
                    </pre>
                  )}
                  <pre class="code">{schemaText(document, schema)}</pre>
                </div>
              ))}
            </details>
          </li>
        ))}
      </ul>
    </article>
  );
}
