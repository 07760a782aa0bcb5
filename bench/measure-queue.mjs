// `npm run bench -- queue`: how fast single-document writes are acknowledged, and how fast they are indexed.
import { Agent, request } from 'node:http';

/**
 * Adds one document; resolves with the task's uid once it is acknowledged.
 * @param {URL} url
 * @param {Agent} agent
 * @param {string} body
 * @returns {Promise<number>}
 */
function add(url, agent, body) {
  const length = Buffer.byteLength(body);
  const headers = { 'Content-Type': 'application/json', 'Content-Length': length };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () =>
        response.statusCode === 202 ? resolve(JSON.parse(text).taskUid) : reject(new Error(text)),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/**
 * Sends so many documents, each in a request of its own, over so many connections; the time until
 * all are acknowledged and until all are indexed.
 * @param {import('./target.mjs').Target} server
 * @param {{documents: number, connections: number}} options
 */
export async function measureQueue(server, { documents, connections }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const url = new URL('/indexes/queued/documents', server.url);
  let next = 0;
  let last = 0;
  const started = performance.now();
  const client = async () => {
    while (next < documents) {
      const id = next++;
      const body = JSON.stringify({ id, title: `document ${id}`, group: id % 97 });
      last = Math.max(last, await add(url, agent, body));
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  const acknowledgedMs = performance.now() - started;
  await server.done(Promise.resolve({ taskUid: last }));
  const indexedMs = performance.now() - started;
  agent.destroy();
  const { numberOfDocuments } = await server.call('GET', '/indexes/queued/stats');
  if (numberOfDocuments !== documents) throw new Error(`${numberOfDocuments} documents are there`);
  return {
    documents,
    connections,
    acknowledgedSeconds: acknowledgedMs / 1000,
    acknowledgedPerSecond: documents / (acknowledgedMs / 1000),
    indexedSeconds: indexedMs / 1000,
  };
}
