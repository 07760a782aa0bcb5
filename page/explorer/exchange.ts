import { key } from '../shell/session.js';
import type { Operation } from './document.js';

/** What was filled in. */
export interface Filled {
  /** By the name of a parameter; empty ones are not sent. */
  readonly values: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly body: string;
}

/** An answer as it is shown; `text` grows while it arrives. */
export interface Shown {
  readonly status: number;
  readonly contentType: string;
  readonly milliseconds: number;
  readonly text: string;
}

/** Characters that are shown of an answer. */
const MOST_CHARACTERS = 200_000;

/** The path and query string of a request. */
export function addressOf({ path, parameters }: Operation, { values }: Filled): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
  const query = new URLSearchParams();
  for (const { name, in: place } of parameters) {
    const value = values[name] ?? '';
    if (place === 'query' && value !== '') query.set(name, value);
  }
  return query.size === 0 ? filled : `${filled}?${query}`;
}

function headersOf({ parameters, body }: Operation, { values, contentType }: Filled) {
  const headers: Record<string, string> = {};
  if (key.value !== '') headers.authorization = `Bearer ${key.value}`;
  if (body !== undefined) headers['content-type'] = contentType;
  for (const { name, in: place } of parameters) {
    const value = values[name] ?? '';
    if (place === 'header' && value !== '') headers[name] = value;
  }
  return headers;
}

/** The same request for a terminal; the key is not shown. */
export function curlOf(operation: Operation, filled: Filled): string {
  const headers = Object.entries(headersOf(operation, filled)).map(([name, value]) =>
    name === 'authorization' ? `-H "Authorization: Bearer $KEY"` : `-H '${name}: ${value}'`,
  );
  const body = operation.body === undefined ? [] : [`--data-binary '${quoted(filled.body)}'`];
  const address = `'${location.origin}${quoted(addressOf(operation, filled))}'`;
  return ['curl', `-X ${operation.method}`, address, ...headers, ...body].join(' \\\n  ');
}

const quoted = (text: string): string => text.replaceAll("'", `'\\''`);

/** Sends a request; `show` hears of the answer as it arrives, for it may never end. */
export async function exchange(
  operation: Operation,
  filled: Filled,
  show: (shown: Shown) => void,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now();
  const response = await fetch(addressOf(operation, filled), {
    method: operation.method,
    headers: headersOf(operation, filled),
    body: operation.body === undefined ? null : filled.body,
    signal,
  });
  const contentType = response.headers.get('content-type') ?? '';
  const milliseconds = Math.round(performance.now() - startedAt);
  const shown = { status: response.status, contentType, milliseconds };
  show({ ...shown, text: '' });
  let text = '';
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  while (reader !== undefined && text.length < MOST_CHARACTERS) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
    show({ ...shown, text });
  }
  show({ ...shown, text: contentType === 'application/json' ? indented(text) : text });
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
