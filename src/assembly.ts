import { join, resolve } from 'node:path';
import { KeyStore } from './auth/key-store.js';
import type { BucketOptions } from './backup/bucket/bucket-options.js';
import { dumpRunner } from './backup/dump-task.js';
import { SnapshotSchedule } from './backup/snapshot-schedule.js';
import { bucketSnapshotRunner, snapshotRunner } from './backup/snapshot-task.js';
import { prepareDataFolder } from './backup/start-import.js';
import { WorkspaceStore } from './chats/workspace-store.js';
import { PRODUCT_VERSION } from './config/product.js';
import { usableMemory } from './config/usable-memory.js';
import { type EmbedderOptions, Embedders } from './embedders/embedders.js';
import { exportRunner } from './export/export-task.js';
import { sendingBy } from './export/outgoing-request.js';
import { StoredFeatures } from './features/stored-features.js';
import { DataFolder } from './indexes/data-folder.js';
import { IndexRegistry } from './indexes/index-registry.js';
import { removeAbandonedArchives } from './native/archive.js';
import { type EngineOptions, openNativeEngine } from './native/engine.js';
import type { Engine } from './native/engine-index.js';
import { Store } from './native/store.js';
import { NetworkStore } from './network/network-store.js';
import { RemoteSearcher } from './network/remote-searcher.js';
import { Personalizer } from './personalization/personalizer.js';
import { RuleStore } from './search-rules/rule-store.js';
import type { ServalOptions } from './serval-options.js';
import type { TaskRunners } from './tasks/batch-context.js';
import type { BatchLimits } from './tasks/next-batch.js';
import { PendingQueue } from './tasks/pending-queue.js';
import { QueueChanges } from './tasks/queue-changes.js';
import { QueueRoom } from './tasks/queue-room.js';
import { finishCommittedBatches, removeLeftovers, unlessStalled } from './tasks/recovery.js';
import { Retention } from './tasks/retention.js';
import { Scheduler } from './tasks/scheduler.js';
import { TaskEvents } from './tasks/task-events.js';
import { TaskQueue } from './tasks/task-queue.js';
import { checkDataVersion } from './upgrade/data-version.js';
import { beginUpgrade, upgradeRunner } from './upgrade/upgrade-task.js';

/** Payload bytes of one batch when nothing is said. */
const DEFAULT_BATCH_BYTES = 10 * 2 ** 30;
/** Unless it is told, searches remember things in at most one part of so many of the memory. */
const SEARCH_MEMORY_PART = 16;

/** What an open instance is made of. */
export interface Parts {
  readonly store: Store;
  readonly engine: Engine;
  readonly folder: DataFolder;
  readonly indexes: IndexRegistry;
  readonly tasks: TaskQueue;
  readonly scheduler: Scheduler;
  readonly features: StoredFeatures;
  readonly keys: KeyStore;
  readonly network: NetworkStore;
  readonly rules: RuleStore;
  readonly chats: WorkspaceStore;
  readonly snapshots: SnapshotSchedule | undefined;
  readonly embedders: Embedders;
  readonly remotes: RemoteSearcher;
  readonly personalizer: Personalizer | undefined;
  readonly changes: QueueChanges;
  readonly folders: BackupFolders;
  /** Puts its snapshots into a bucket, when it has one. */
  readonly snapshotBucket: BucketOptions | undefined;
}

/** Opens or creates a data folder, finishes what a crash interrupted, starts on the queue. */
export async function assemble(path: string, options: ServalOptions): Promise<Parts> {
  const folder = new DataFolder(path);
  const { fetch: send } = options;
  const sending = send === undefined ? {} : { fetch: send };
  const embedders = new Embedders({ ...sending, ...embedderOptions(folder, options) });
  const engine = options.engine ?? openNativeEngine(engineOptions(options, embedders));
  const rules = { running: PRODUCT_VERSION, mayUpgrade: options.upgrade === true };
  await prepareDataFolder(folder.path, options.importFrom, { engine, rules });
  // The store takes the form of this version as it is opened, so who may not upgrade stops here.
  const upgradeFrom = await checkDataVersion(folder.path, rules);
  const store = await Store.open(folder.path);
  try {
    return await assembleOn(folder, store, { engine, embedders, upgradeFrom }, options);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** What is there before the store is read. */
interface Opened extends Pick<Parts, 'engine' | 'embedders'> {
  /** The older version that wrote the data folder. */
  readonly upgradeFrom: string | undefined;
}

async function assembleOn(
  folder: DataFolder,
  store: Store,
  { engine, embedders, upgradeFrom }: Opened,
  options: ServalOptions,
): Promise<Parts> {
  await folder.makeFolders();
  await store.reopenFailed('upgradeDatabase');
  const registry = new IndexRegistry(store, folder, engine);
  const pending = new PendingQueue();
  const events = new TaskEvents();
  const limits = limitsOf(options);
  const rules = await RuleStore.load(store, options.searchRuleBudgets);
  const features = await StoredFeatures.load(store, options.features);
  const folders = backupFolders(folder, options);
  const runners = runnersOf(folders, { features, engine }, options);
  const parts = { store, registry, folder, pending, rules, events, limits, runners };
  const scheduler = new Scheduler(parts);
  const running = () => scheduler.running;
  const room = new QueueRoom(store, options.maxQueueBytes);
  const tasks = new TaskQueue({ store, pending, events, running, room, folder: folder.path });
  await registry.load();
  await tasks.load();
  if (upgradeFrom !== undefined) {
    await beginUpgrade(upgradeFrom, PRODUCT_VERSION, { tasks, pending, folder: folder.path });
  }
  const recovery = { store, registry, pending, scheduler, folder, engine };
  await removeLeftovers(recovery);
  for (const one of Object.values(folders)) await removeAbandonedArchives(one);
  const keys = await KeyStore.load(store);
  const network = await NetworkStore.load(store);
  const chats = await WorkspaceStore.load(store);
  const retention = new Retention(store, tasks, options.retention);
  const recovered = finishCommittedBatches(recovery);
  await unlessStalled(events, recovered);
  scheduler.start(recovered, () => retention.check(tasks.nextUid));
  const asking = { embedders, ...askingOthers(network, options) };
  const stored = { features, keys, network, rules, chats, ...asking };
  const snapshots = scheduleOf(tasks, options);
  snapshots?.start();
  const changes = new QueueChanges(tasks, running);
  const { snapshotBucket } = options;
  const work = { tasks, scheduler, snapshots, changes, folders, snapshotBucket };
  return { store, engine, folder, indexes: registry, ...stored, ...work };
}

/** Where dumps and snapshots are put. */
interface BackupFolders {
  readonly dumps: string;
  readonly snapshots: string;
}

function backupFolders(folder: DataFolder, options: ServalOptions): BackupFolders {
  return {
    dumps: resolve(options.dumpFolder ?? join(folder.path, 'dumps')),
    snapshots: resolve(options.snapshotFolder ?? join(folder.path, 'snapshots')),
  };
}

/** What carries out the tasks that are not about one index. */
function runnersOf(
  { dumps, snapshots }: BackupFolders,
  { features, engine }: Pick<Parts, 'features' | 'engine'>,
  { exportPayloadBytes, snapshotBucket, fetch: send = fetch }: ServalOptions,
): TaskRunners {
  return {
    dumpCreation: dumpRunner(dumps),
    snapshotCreation:
      snapshotBucket === undefined
        ? snapshotRunner(snapshots)
        : bucketSnapshotRunner(snapshotBucket),
    upgradeDatabase: upgradeRunner(engine),
    export: exportRunner({ features, payloadBytes: exportPayloadBytes, send: sendingBy(send) }),
  };
}

/** What asks other servers while it searches. */
function askingOthers(
  network: NetworkStore,
  options: ServalOptions,
): Pick<Parts, 'remotes' | 'personalizer'> {
  const { fetch: send, personalization, remoteSearchTimeoutMs: timeoutMs } = options;
  const sending = send === undefined ? {} : { fetch: send };
  const patience = timeoutMs === undefined ? {} : { timeoutMs };
  return {
    remotes: new RemoteSearcher(network, { ...sending, ...patience }),
    personalizer:
      personalization === undefined
        ? undefined
        : new Personalizer({ ...sending, ...personalization }),
  };
}

function scheduleOf(
  tasks: TaskQueue,
  { snapshotEverySeconds }: ServalOptions,
): SnapshotSchedule | undefined {
  if (snapshotEverySeconds === undefined) return undefined;
  return new SnapshotSchedule(tasks, snapshotEverySeconds);
}

/** Models are in the data folder unless another one is named. */
function embedderOptions(folder: DataFolder, { embedders }: ServalOptions): EmbedderOptions {
  const localModels = { folder: join(folder.path, 'models'), ...embedders?.localModels };
  return { ...embedders, localModels };
}

function engineOptions(options: ServalOptions, embedders: Embedders): EngineOptions {
  const { maxIndexingMemory, maxIndexingThreads, maxSearchMemory } = options;
  return {
    ...(maxIndexingMemory === undefined ? {} : { maxIndexingMemory }),
    ...(maxIndexingThreads === undefined ? {} : { maxIndexingThreads }),
    ...(maxSearchMemory === undefined
      ? { searchMemoryCeiling: Math.floor(usableMemory() / SEARCH_MEMORY_PART) }
      : { maxSearchMemory }),
    embedDocuments: (request, signal) => embedders.embedDocuments(request, signal),
  };
}

function limitsOf(options: ServalOptions): BatchLimits {
  return {
    maxTasks: options.maxBatchedTasks ?? Number.POSITIVE_INFINITY,
    maxBytes: options.maxBatchBytes ?? DEFAULT_BATCH_BYTES,
  };
}
