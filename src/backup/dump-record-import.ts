import { readdir } from 'node:fs/promises';
import * as z from 'zod';
import { ACTIONS, OTHER_CHAT_ACTION } from '../auth/actions.js';
import type { Store } from '../native/store.js';
import { asObject, type DumpFiles } from './dump-files.js';
import { DUMP_PATHS, NAMESPACES } from './dump-layout.js';
import { ImportError } from './import-error.js';

const moment = z.string().refine((text) => !Number.isNaN(Date.parse(text)));

/** A key as it is stored. */
const keySchema = z.object({
  uid: z.uuid(),
  name: z.string().nullable().default(null),
  description: z.string().nullable().default(null),
  actions: z.array(z.enum([...ACTIONS, OTHER_CHAT_ACTION])),
  indexes: z.array(z.string()),
  expiresAt: moment.nullable().default(null),
  createdAt: moment,
  updatedAt: moment,
});

/** Brings the keyed values of a dump into a store. */
export async function importRecords(files: DumpFiles, store: Store): Promise<void> {
  const instance = await files.text(DUMP_PATHS.instanceUid);
  if (instance !== undefined) await store.putRecord(NAMESPACES.instance, 'uid', instance.trim());
  for await (const key of files.objects(DUMP_PATHS.keys)) await importKey(key, store);
  await importMembers(files, DUMP_PATHS.features, NAMESPACES.features, store);
  await importMembers(files, DUMP_PATHS.webhooks, NAMESPACES.webhooks, store);
  const network = await files.object(DUMP_PATHS.network);
  if (network !== undefined) await store.putRecord(NAMESPACES.network, 'current', network);
  await importChats(files, store);
  for await (const record of files.objects(DUMP_PATHS.records)) {
    const { namespace, key, value } = record;
    if (typeof namespace !== 'string' || typeof key !== 'string') {
      throw new ImportError(`\`${DUMP_PATHS.records}\` holds a record without a name`);
    }
    await store.putRecord(namespace, key, value ?? null);
  }
}

async function importKey(line: Record<string, unknown>, store: Store): Promise<void> {
  const read = keySchema.safeParse(camelCased(line));
  if (!read.success) {
    throw new ImportError(`\`${DUMP_PATHS.keys}\` holds something that is no key`);
  }
  await store.putRecord(NAMESPACES.keys, read.data.uid, read.data);
}

/** Other writers of the layout write the fields of keys with underscores. */
export function camelCased(object: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(object).map(([name, value]) => [
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return Object.fromEntries(entries);
}

async function importMembers(
  files: DumpFiles,
  path: string,
  namespace: string,
  store: Store,
): Promise<void> {
  const members = (await files.object(path)) ?? {};
  for (const [key, value] of Object.entries(members)) await store.putRecord(namespace, key, value);
}

async function importChats(files: DumpFiles, store: Store): Promise<void> {
  if (!files.has(DUMP_PATHS.chats)) return;
  for (const name of await readdir(files.path(DUMP_PATHS.chats))) {
    const place = `${DUMP_PATHS.chats}/${name}`;
    const value = asObject(await files.object(place), place);
    await store.putRecord(NAMESPACES.chats, chatName(name), value);
  }
}

function chatName(file: string): string {
  try {
    return decodeURIComponent(file.replace(/\.json$/, ''));
  } catch {
    throw new ImportError(`\`${DUMP_PATHS.chats}/${file}\` is no name of a chat`);
  }
}
