import { indexNotFound } from '../errors/not-found.js';
import { formatByteSize } from '../indexes/byte-size.js';
import { folderSize } from '../indexes/folder-size.js';
import type { RunnableTask } from '../native/store.js';
import type { BatchContext } from './batch-context.js';
import { type BatchEnd, failed } from './batch-end.js';

/** Frees what an index does not need. Searches go on; doing it again changes nothing. */
export async function compactIndex(
  task: RunnableTask,
  { registry, folder, progress }: BatchContext,
): Promise<BatchEnd> {
  const { indexUid } = task.content as { indexUid: string };
  const row = registry.row(indexUid);
  const index = await progress.during('retrieve the index', () => registry.open(indexUid));
  if (row === undefined || index === undefined) {
    return { outcomes: [failed(task, indexNotFound(indexUid))], registry: [] };
  }
  const path = folder.indexPath(row.directory);
  const before = await folderSize(path);
  await progress.during('copy and compact the index', () => index.compact());
  const details = {
    preCompactionSize: formatByteSize(before),
    postCompactionSize: formatByteSize(await folderSize(path)),
  };
  return { outcomes: [{ uid: task.uid, status: 'succeeded', details }], registry: [] };
}
