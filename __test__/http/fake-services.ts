import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeyStore } from '../../src/auth/key-store.js';
import { WorkspaceStore } from '../../src/chats/workspace-store.js';
import type { BodyFormat } from '../../src/documents/payload-reader.js';
import type { IndexReader, Services } from '../../src/http/services.js';
import type { IndexInfo } from '../../src/indexes/index-registry.js';
import { LongJson } from '../../src/long-json/long-json.js';
import { UsageCounters } from '../../src/metrics/usage-counters.js';
import { prepareSmallPayload } from '../../src/native/payload.js';
import { NetworkStore } from '../../src/network/network-store.js';
import { RemoteSearcher } from '../../src/network/remote-searcher.js';
import { RuleStore } from '../../src/search-rules/rule-store.js';
import { ChangeStream } from '../../src/tasks/change-stream.js';
import type { TaskSummary, TaskType } from '../../src/tasks/task.js';
import type { Payload, TaskDraft } from '../../src/tasks/task-draft.js';
import type { TaskFilter } from '../../src/tasks/task-filter.js';
import { WebhookStore } from '../../src/webhooks/webhook-store.js';
import { memoryRecords } from '../auth/memory-records.js';

/** What a fake received, in order. */
export interface Received {
  readonly drafts: TaskDraft[];
  readonly filters: TaskFilter[];
  readonly searches: unknown[];
  readonly documentRequests: unknown[];
  readonly payloads: {
    readonly bytes: number;
    readonly from: 'memory' | 'file';
    readonly format: BodyFormat;
  }[];
}

const NOW = '2024-01-02T03:04:05.678Z';
const EMPTY_PAGE = { results: [], total: 0, limit: 20, from: null, next: null };

/**
 * Services without storage: writes are remembered and create the index they name, reads answer
 * with fixed bytes. For tests of what the HTTP layer itself does.
 */
export function fakeServices(): { services: Services; received: Received } {
  const received: Received = {
    drafts: [],
    filters: [],
    searches: [],
    documentRequests: [],
    payloads: [],
  };
  const uids = new Set<string>();
  const info = (uid: string): IndexInfo => ({
    uid,
    createdAt: NOW,
    updatedAt: NOW,
    primaryKey: null,
  });
  const take = (from: 'memory' | 'file', bytes: number, format: BodyFormat): Promise<Payload> => {
    received.payloads.push({ bytes, from, format });
    return Promise.resolve({ documents: 1, bytes: 8, content: { inline: '{"id":1}' } });
  };
  const services: Services = {
    tasks: fakeQueue(received, uids),
    taskDocuments: async () => undefined,
    longJson: new LongJson(),
    changes: { followBatches: silence, followTasks: silence, end: () => undefined },
    indexes: {
      list: async (offset, limit) => ({
        results: [...uids]
          .sort()
          .slice(offset, offset + limit)
          .map(info),
        total: uids.size,
      }),
      get: async (uid) => (uids.has(uid) ? info(uid) : undefined),
      reader: async (uid) => (uids.has(uid) ? fakeReader(received) : undefined),
      openFolder: async () => undefined,
      federatedSearch: async () => Buffer.from('{"hits":[]}'),
      sizes: async () => ({ databaseSize: 2048, usedDatabaseSize: 1024 }),
    },
    payloads: {
      newRawPath: () => join(tmpdir(), `serval-${process.pid}-${Math.random()}.raw`),
      fromBytes: async (bytes, format) => {
        if (format.format !== 'ids') return take('memory', bytes.length, format);
        const { documents, inline } = prepareSmallPayload(format, bytes);
        return { documents, content: { inline } };
      },
      fromFile: async (path, format) => {
        const { readFile, rm } = await import('node:fs/promises');
        const { length } = await readFile(path);
        await rm(path);
        return take('file', length, format);
      },
    },
    features: fakeFeatures(),
    filters: { problem: () => undefined },
    functions: { problem: async () => undefined },
    ...emptyStores(),
    usage: new UsageCounters(),
    sendToProvider: () => Promise.reject(new Error('no provider in this test')),
  };
  return { services, received };
}

/** A queue that remembers writes and what it was asked for. */
function fakeQueue(received: Received, uids: Set<string>): Services['tasks'] {
  const summary = (type: TaskType, indexUid: string | null): TaskSummary => ({
    taskUid: received.drafts.length,
    indexUid,
    status: 'enqueued',
    type,
    enqueuedAt: NOW,
  });
  return {
    enqueue: async (draft) => {
      received.drafts.push(draft);
      applyToRegistry(draft, uids);
      return summary(draft.type, 'indexUid' in draft ? draft.indexUid : null);
    },
    list: async (filter) => {
      received.filters.push(filter);
      return EMPTY_PAGE;
    },
    page: async (filter) => {
      received.filters.push(filter);
      return EMPTY_PAGE;
    },
    updates: async (filter) => {
      received.filters.push(filter);
      return [];
    },
    listBatches: async (filter) => {
      received.filters.push(filter);
      return EMPTY_PAGE;
    },
    batchPage: async (filter) => {
      received.filters.push(filter);
      return EMPTY_PAGE;
    },
    counts: async () => ({ statuses: {}, types: {}, indexes: {} }),
    space: async () => ({ used: 1024, free: 4096 }),
    compact: async () => ({ before: 2048, after: 1024 }),
    mustRestart: false,
    cancel: async (filter) => {
      received.filters.push(filter);
      return summary('taskCancelation', null);
    },
    delete: async (filter) => {
      received.filters.push(filter);
      return summary('taskDeletion', null);
    },
  };
}

/** Stores of records that are kept in memory. */
function emptyStores(): Pick<
  Services,
  'keys' | 'network' | 'remotes' | 'rules' | 'webhooks' | 'chats'
> {
  const network = new NetworkStore(memoryRecords());
  return {
    keys: new KeyStore(memoryRecords()),
    network,
    remotes: new RemoteSearcher(network),
    rules: new RuleStore(memoryRecords()),
    webhooks: new WebhookStore(memoryRecords(), []),
    chats: new WorkspaceStore(memoryRecords()),
  };
}

function fakeFeatures(): Services['features'] {
  let features: Record<string, boolean> = {};
  return {
    all: () => features,
    isOn: (name) => features[name] === true,
    set: async (switches) => {
      const given = Object.entries(switches).filter(([, value]) => value != null);
      features = { ...features, ...(Object.fromEntries(given) as Record<string, boolean>) };
    },
  };
}

/** A stream of changes on which nothing happens. */
function silence(): ChangeStream {
  const stream = new ChangeStream();
  stream.end();
  return stream;
}

function applyToRegistry(draft: TaskDraft, uids: Set<string>): void {
  if (!('indexUid' in draft)) return;
  if (draft.type === 'indexDeletion') uids.delete(draft.indexUid);
  else if (draft.type === 'indexUpdate' && draft.newIndexUid !== undefined) {
    uids.delete(draft.indexUid);
    uids.add(draft.newIndexUid);
  } else if (
    draft.type === 'indexCreation' ||
    ('mayCreateIndex' in draft && draft.mayCreateIndex)
  ) {
    uids.add(draft.indexUid);
  }
}

function fakeReader(received: Received): IndexReader {
  return {
    search: async (request) => {
      received.searches.push(JSON.parse(request));
      return Buffer.from('{"hits":[],"query":""}');
    },
    recall: () => undefined,
    similar: async () => Buffer.from('{"hits":[]}'),
    facetSearch: async () => Buffer.from('{"facetHits":[],"facetQuery":null}'),
    documents: async (request) => {
      received.documentRequests.push(JSON.parse(request));
      return Buffer.from('{"results":[],"offset":0,"limit":20,"total":0}');
    },
    fields: async () => Buffer.from('{"results":[],"offset":0,"limit":20,"total":0}'),
    document: async (id) => (id === 'known' ? Buffer.from('{"id":"known"}') : undefined),
    foreignUids: () => [],
    settings: async () => '{"stopWords":["the"],"searchCutoffMs":null}',
    settingsWithoutWords: async () => '{"stopWords":[],"searchCutoffMs":null}',
    sizes: async () => ({ documents: 1024 }),
    numberOfDocuments: async () => 2,
    stats: async () => ({
      numberOfDocuments: 2,
      indexSize: 4096,
      usedIndexSize: 4096,
      rawDocumentDbSize: 1536,
      avgDocumentSize: 768,
      isIndexing: false,
      numberOfEmbeddings: 0,
      numberOfEmbeddedDocuments: 0,
      fieldDistribution: { title: 2, id: 2 },
    }),
  };
}
