// `npm run bench -- memory`: how much memory the server takes for one large body, and while it indexes it.
import { createReadStream, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { pipeline } from 'node:stream/promises';

const POLL_MS = 50;

/**
 * Kilobytes of memory of a process: all of it, the part that no file backs, and pages of mapped files, which the system
 * takes back when it needs them.
 * @param {number} pid
 */
function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kilobytes = (/** @type {string} */ name) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  return { all: kilobytes('VmRSS'), anonymous: kilobytes('RssAnon'), files: kilobytes('RssFile') };
}

/**
 * Watches a process while a job runs; the highest figures in MiB.
 * @template T
 * @param {number} pid
 * @param {() => Promise<T>} job
 */
async function watched(pid, job) {
  const peak = memoryOf(pid);
  const timer = setInterval(() => {
    const now = memoryOf(pid);
    peak.all = Math.max(peak.all, now.all);
    peak.anonymous = Math.max(peak.anonymous, now.anonymous);
    peak.files = Math.max(peak.files, now.files);
  }, POLL_MS);
  try {
    const result = await job();
    return {
      result,
      peakMib: peak.all / 1024,
      peakAnonymousMib: peak.anonymous / 1024,
      peakFilesMib: peak.files / 1024,
    };
  } finally {
    clearInterval(timer);
  }
}

/**
 * Sends a file as one NDJSON body.
 * @param {URL} url
 * @param {string} path
 * @returns {Promise<{taskUid: number}>}
 */
async function upload(url, path) {
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const sent = request(new URL('/indexes/uploaded/documents', url), { method: 'POST', headers });
  const answered = new Promise((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(JSON.parse(text)));
    });
  });
  await pipeline(createReadStream(path), sent);
  return /** @type {Promise<{taskUid: number}>} */ (answered);
}

/**
 * Uploads a file in one request and waits for its task; peak memory of both parts.
 * @param {import('./target.mjs').Target} server
 * @param {string} path
 */
export async function measureMemory(server, path) {
  const pid = server.pid;
  if (pid === null) throw new Error('the process of the server is not known');
  const idleMib = memoryOf(pid).all / 1024;
  const started = performance.now();
  const sent = await watched(pid, () => upload(server.url, path));
  const sentMs = performance.now() - started;
  const indexed = await watched(pid, () => server.done(Promise.resolve(sent.result)));
  const seconds = (performance.now() - started) / 1000;
  const { result: _, ...upload_ } = sent;
  const { result: task, ...indexing } = indexed;
  return { idleMib, uploadSeconds: sentMs / 1000, seconds, upload: upload_, indexing, task };
}
