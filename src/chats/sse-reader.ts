import { ProviderError } from './provider-error.js';

/** Characters of one event at the most: events of providers have a few hundred. */
const MAX_EVENT_LENGTH = 4 * 2 ** 20;

/**
 * The data of each server-sent event of a body. Lines may end in CR, LF or both and be broken at
 * any byte; fields other than data are of no use here. At most one event is held in memory.
 */
export async function* eventData(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let data: string[] | undefined;
  let length = 0;
  for await (const line of lines(body)) {
    if (line === '') {
      if (data !== undefined) yield data.join('\n');
      data = undefined;
      length = 0;
      continue;
    }
    const value = dataOf(line);
    if (value === undefined) continue;
    // With the line break that stands for it in the event.
    length += value.length + 1;
    if (length > MAX_EVENT_LENGTH) throw tooLong();
    data ??= [];
    data.push(value);
  }
  // Not of the standard, but some providers leave out the last empty line.
  if (data !== undefined) yield data.join('\n');
}

/** The value of a data line, without the one space that may follow the colon. */
function dataOf(line: string): string | undefined {
  if (line === 'data') return '';
  if (!line.startsWith('data:')) return undefined;
  return line.startsWith(' ', 5) ? line.slice(6) : line.slice(5);
}

async function* lines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  // Tells of broken text; a byte order mark at the start is dropped.
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const pieces: string[] = [];
  let held = 0;
  let endedByReturn = false;
  for await (const chunk of body) {
    let text = decoded(() => decoder.decode(chunk, { stream: true }));
    if (endedByReturn && text !== '') {
      if (text.startsWith('\n')) text = text.slice(1);
      endedByReturn = false;
    }
    if (text.endsWith('\r')) endedByReturn = true;
    const parts = text.split(/\r\n|\r|\n/);
    const last = parts.pop() ?? '';
    for (const part of parts) {
      pieces.push(part);
      yield pieces.join('');
      pieces.length = 0;
      held = 0;
    }
    if (last === '') continue;
    pieces.push(last);
    held += last.length;
    if (held > MAX_EVENT_LENGTH) throw tooLong();
  }
  pieces.push(decoded(() => decoder.decode()));
  const rest = pieces.join('');
  if (rest !== '') yield rest;
}

function decoded(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw new ProviderError('invalid_utf8_error', 'the provider sent text that is not UTF-8');
  }
}

function tooLong(): ProviderError {
  return new ProviderError(
    'parser_error',
    `the provider sent an event of more than ${MAX_EVENT_LENGTH} characters`,
  );
}
