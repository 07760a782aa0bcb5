/** The version of the layout that is written, and the only one that is read. */
export const DUMP_VERSION = 'V6';

/** The paths of what is inside of a dump. */
export const DUMP_PATHS = {
  metadata: 'metadata.json',
  instanceUid: 'instance_uid.uuid',
  keys: 'keys.jsonl',
  tasks: 'tasks/queue.jsonl',
  payload: (taskUid: number) => `tasks/update_files/${taskUid}.jsonl`,
  batches: 'batches/queue.jsonl',
  indexes: 'indexes',
  features: 'experimental-features.json',
  network: 'network.json',
  webhooks: 'webhooks.json',
  chats: 'chat-completions-settings',
  records: 'records.jsonl',
} as const;

/** The files of one index of a dump, in its folder. */
export const INDEX_FILES = {
  metadata: 'metadata.json',
  settings: 'settings.json',
  documents: 'documents.jsonl',
} as const;

/**
 * Where the store keeps what has a file of its own in a dump. Other namespaces travel in
 * `records.jsonl`, so nothing is left behind.
 */
export const NAMESPACES = {
  instance: 'instance',
  keys: 'keys',
  features: 'features',
  network: 'network',
  webhooks: 'webhooks',
  chats: 'chats',
} as const;

/** The longest folder name that every file system takes, less what makes it unique. */
const MAX_FOLDER_LENGTH = 200;

/** The folder of an index; long uids are cut, the number tells them apart. */
export function indexFolder(uid: string, number: number): string {
  const name =
    uid.length <= MAX_FOLDER_LENGTH ? uid : `${uid.slice(0, MAX_FOLDER_LENGTH)}.${number}`;
  return `${DUMP_PATHS.indexes}/${name}`;
}

/** The uid of a dump made at a moment: `YYYYMMDD-HHMMSSmmm`, in UTC. */
export function dumpUidAt(moment: Date): string {
  const digits = moment.toISOString().replace(/\D/g, '');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}
