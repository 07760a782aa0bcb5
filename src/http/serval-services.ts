import type { SendToProvider } from '../chats/provider.js';
import { LongJson } from '../long-json/long-json.js';
import { checkFunction } from '../native/document-function.js';
import { checkFilter } from '../native/filter.js';
import type { Serval } from '../serval.js';
import { taskDocuments } from '../tasks/task-documents.js';
import { WebhookStore } from '../webhooks/webhook-store.js';
import type { Services } from './services.js';

/** What the server needs, from an open instance; its chats reach every address unless told how. */
export function servicesOf(
  serval: Serval,
  webhooks = new WebhookStore(serval.store, []),
  sendToProvider: SendToProvider = fetch,
  longJson = new LongJson(),
): Services {
  const { tasks, changes, indexes, payloads, features, keys, network, rules, usage } = serval;
  const { remotes, personalizer, chats } = serval;
  return {
    tasks,
    changes,
    taskDocuments: (uid) => taskDocuments(tasks, serval.folder, uid),
    indexes,
    payloads,
    features,
    filters: { problem: (filter) => checkFilter(filter, features.all()) },
    functions: { problem: checkFunction },
    keys,
    network,
    rules,
    webhooks,
    chats,
    longJson,
    sendToProvider,
    usage,
    queryEmbedder: serval.embedders,
    remotes,
    personalizer,
  };
}
