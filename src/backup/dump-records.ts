import type { Archive } from '../native/archive.js';
import type { StoredRecord } from '../native/store.js';
import { DUMP_PATHS, NAMESPACES } from './dump-layout.js';

/** Adds every keyed value of the store to a dump, in the file where it belongs. */
export async function addRecords(
  archive: Archive,
  records: readonly StoredRecord[],
): Promise<void> {
  const of = (namespace: string) => records.filter((record) => record.namespace === namespace);
  const asObject = (namespace: string) =>
    JSON.stringify(Object.fromEntries(of(namespace).map(({ key, value }) => [key, value])));
  for (const { value } of of(NAMESPACES.instance)) {
    await archive.addText(DUMP_PATHS.instanceUid, String(value));
  }
  await archive.addText(DUMP_PATHS.keys, lines(of(NAMESPACES.keys).map(({ value }) => value)));
  if (of(NAMESPACES.features).length > 0) {
    await archive.addText(DUMP_PATHS.features, asObject(NAMESPACES.features));
  }
  if (of(NAMESPACES.webhooks).length > 0) {
    await archive.addText(DUMP_PATHS.webhooks, asObject(NAMESPACES.webhooks));
  }
  for (const { value } of of(NAMESPACES.network)) {
    await archive.addText(DUMP_PATHS.network, JSON.stringify(value));
  }
  for (const { key, value } of of(NAMESPACES.chats)) {
    const name = encodeURIComponent(key);
    await archive.addText(`${DUMP_PATHS.chats}/${name}.json`, JSON.stringify(value));
  }
  await archive.addText(DUMP_PATHS.records, lines(records.filter(hasNoFile)));
}

/** Whether a value travels in the file of all others. */
function hasNoFile({ namespace }: StoredRecord): boolean {
  return !(Object.values(NAMESPACES) as string[]).includes(namespace);
}

function lines(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}
