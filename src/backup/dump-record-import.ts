import { readdir } from 'node:fs/promises';
import type * as z from 'zod';
import type { Store } from '../native/store.js';
import { asObject, type DumpFiles } from './dump-files.js';
import { DUMP_PATHS, NAMESPACES } from './dump-layout.js';
import { featuresSchema, keySchema, networkSchema, webhooksSchema } from './dump-record-shapes.js';
import { ImportError } from './import-error.js';

/** Brings the keyed values of a dump into a store. */
export async function importRecords(files: DumpFiles, store: Store): Promise<void> {
  const instance = await files.text(DUMP_PATHS.instanceUid);
  if (instance !== undefined) await store.putRecord(NAMESPACES.instance, 'uid', instance.trim());
  for await (const key of files.objects(DUMP_PATHS.keys)) await importKey(key, store);
  const features = await shaped(files, DUMP_PATHS.features, featuresSchema);
  await putMembers(features, NAMESPACES.features, store);
  await putMembers(await webhooksOf(files), NAMESPACES.webhooks, store);
  const network = await shaped(files, DUMP_PATHS.network, networkSchema);
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

/** What a file holds, in the shape that it must have; `undefined` when there is no such file. */
async function shaped<T>(
  files: DumpFiles,
  path: string,
  schema: z.ZodType<T>,
  within: (object: Record<string, unknown>) => unknown = (object) => object,
): Promise<T | undefined> {
  const object = await files.object(path);
  if (object === undefined) return undefined;
  const read = schema.safeParse(within(object));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const place = issue?.path.map(String).join('.') ?? '';
  throw new ImportError(`\`${path}\` holds something else than it should at \`.${place}\``);
}

/** Other writers put them into a member of that name. */
function webhooksOf(files: DumpFiles) {
  return shaped(files, DUMP_PATHS.webhooks, webhooksSchema, (object) => object.webhooks ?? object);
}

async function putMembers(
  members: Readonly<Record<string, unknown>> | undefined,
  namespace: string,
  store: Store,
): Promise<void> {
  for (const [key, value] of Object.entries(members ?? {})) {
    await store.putRecord(namespace, key, value);
  }
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
