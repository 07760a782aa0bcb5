// Plays the story of the examples on a server.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { STORY } from './story.mjs';

/** The master key of servers that the story is played on. */
export const MASTER_KEY = 'a-master-key-of-the-examples';

/**
 * @typedef {import('./story.mjs').Step} Step
 *
 * @typedef {object} Played a request as it was sent, and its answer
 * @property {string} route
 * @property {Record<string, string | number>} [params]
 * @property {Record<string, unknown>} [query]
 * @property {string} [contentType]
 * @property {unknown} [body]
 * @property {number} status
 * @property {string} [answerType]
 * @property {unknown} [answer] JSON as a value, other text as it is
 */

const CHUNKS = ['The film', ' is Alien.'].map((content, at) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1700000000,
  model: 'a-model',
  choices: [{ index: 0, delta: { content }, finish_reason: at === 1 ? 'stop' : null }],
}));

/** A language model that always says the same. */
async function startProvider() {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/event-stream');
    for (const chunk of CHUNKS) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end('data: [DONE]\n\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}/v1/`, close: () => server.close() };
}

/**
 * Sends all requests one after another, and waits for the end of each write.
 * @param {string} url of a fresh server with the master key of the examples
 * @param {readonly Step[]} [steps] all, when absent
 * @returns {Promise<Played[]>}
 */
export async function playStory(url, steps = STORY) {
  const provider = await startProvider();
  /** @type {Record<string, Record<string, string | number>>} */
  const saved = {};
  /** @param {unknown} value */
  const filled = (value) => {
    const text = JSON.stringify(value ?? null)
      .replaceAll('{provider}', provider.url)
      .replace(/\{(\w+)\.(\w+)\}/g, (_, name, field) => String(saved[name]?.[field]));
    return value === undefined ? undefined : JSON.parse(text);
  };
  /** @type {Played[]} */
  const played = [];
  try {
    for (const step of steps) {
      const sent = { ...step, params: filled(step.params), query: filled(step.query) };
      const result = await play(url, { ...sent, body: filled(step.body) });
      // The address of the model differs from time to time; what is shown is one that does not.
      played.push(
        JSON.parse(JSON.stringify(result).replaceAll(provider.url, 'http://127.0.0.1:7704/v1/')),
      );
      if (step.save !== undefined) saved[step.save] = /** @type {any} */ (result.answer);
      if (step.running !== true) await untilDone(url, result.answer);
    }
  } finally {
    provider.close();
  }
  return played;
}

/**
 * @param {string} url
 * @param {Step} step
 * @returns {Promise<Played>}
 */
async function play(url, step) {
  const { route, params, query, body, earlier, streaming } = step;
  const contentType = body === undefined ? undefined : (step.contentType ?? 'application/json');
  const abort = new AbortController();
  const [method = '', pattern = ''] = route.split(' ');
  const path = pattern.replace(/:(\w+)/g, (_, name) => encodeURIComponent(params?.[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) search.set(name, String(value));
  const response = await fetch(`${url}${path}?${search}`, {
    method,
    headers: {
      ...(earlier === true
        ? { 'X-Svc-API-Key': MASTER_KEY }
        : { authorization: `Bearer ${MASTER_KEY}` }),
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
    },
    body: bytesOf(body, contentType),
    signal: abort.signal,
  });
  const text =
    streaming === undefined ? await response.text() : await begun(url, response, streaming);
  if (streaming !== undefined) abort.abort();
  const answerType = response.headers.get('content-type')?.split(';')[0];
  return {
    route,
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { query }),
    ...(contentType === undefined ? {} : { contentType, body }),
    status: response.status,
    ...(answerType === undefined ? {} : { answerType }),
    ...(text === '' ? {} : { answer: answerType === 'application/json' ? JSON.parse(text) : text }),
  };
}

/**
 * @param {unknown} body
 * @param {string} [contentType]
 * @returns {string | null}
 */
function bytesOf(body, contentType) {
  if (contentType === undefined) return null;
  return contentType === 'application/json' ? JSON.stringify(body) : String(body);
}

/**
 * The first line of an answer that goes on, for which something is made to happen.
 * @param {string} url
 * @param {Response} response
 * @param {Step} event
 */
async function begun(url, response, event) {
  if (response.body === null) return '';
  const { answer } = await play(url, event);
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes('\n')) break;
  }
  await untilDone(url, answer);
  return text.slice(0, text.indexOf('\n') + 1);
}

/**
 * @param {string} url
 * @param {unknown} answer
 */
async function untilDone(url, answer) {
  const { taskUid, updateId } = /** @type {{ taskUid?: number, updateId?: number }} */ (
    answer ?? {}
  );
  const uid = taskUid ?? updateId;
  // Updates that are shown carry their status, acknowledgements in the earlier shape only a number.
  if (uid === undefined || (taskUid === undefined && Object.keys(answer ?? {}).length > 1)) return;
  for (;;) {
    const step = { route: 'GET /tasks/:taskUid', params: { taskUid: uid } };
    const { answer: task } = await play(url, step);
    const { status = '' } = /** @type {{ status?: string }} */ (task);
    if (!['enqueued', 'processing'].includes(status)) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
