import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ApiError } from '../errors/api-error.js';
import { reasonOf } from '../errors/error-reason.js';
import type { Archive } from '../native/archive.js';
import { BatchAborted } from '../native/engine-index.js';
import type { BatchContext, TaskRunner } from '../tasks/batch-context.js';
import { failed, succeeded } from '../tasks/batch-end.js';
import { waitingPayloads } from '../tasks/waiting-payloads.js';
import { inSteps, withEachIndex } from './backup-steps.js';
import { Bucket, objectKey } from './bucket/bucket.js';
import type { BucketOptions } from './bucket/bucket-options.js';
import { uploadFile } from './bucket/multipart-upload.js';
import { writeArchive } from './write-archive.js';

/** The name of the snapshot of a data folder. */
export function snapshotName(dataFolder: string): string {
  return `${basename(dataFolder)}.snapshot`;
}

/** Where the snapshot of a data folder is put: the path of its file, or `s3://`, bucket and object. */
export function snapshotPlace(
  dataFolder: string,
  { folder, bucket }: { readonly folder: string; readonly bucket: BucketOptions | undefined },
): string {
  const name = snapshotName(dataFolder);
  if (bucket === undefined) return join(folder, name);
  return `s3://${bucket.name}/${objectKey(bucket.prefix, name)}`;
}

/** Makes snapshots in a folder. */
export function snapshotRunner(folder: string): TaskRunner {
  return runner(async (context) => {
    const { path, scratch } = context.folder;
    const options = { signal: context.signal, readOnly: true, scratch };
    await writeArchive(join(folder, snapshotName(path)), options, (archive) =>
      fill(archive, context),
    );
  });
}

/**
 * Makes snapshots and puts them into a bucket. Each is written to the disk first, from where a part
 * can be sent again; what a kill leaves of it is removed by the next start.
 */
export function bucketSnapshotRunner(options: BucketOptions): TaskRunner {
  const { compressionLevel: level, partBytes, maxInFlightParts: maxInFlight } = options;
  return runner(async (context) => {
    const { folder, progress, signal } = context;
    const bucket = new Bucket(options);
    const name = snapshotName(folder.path);
    const key = objectKey(options.prefix, name);
    const path = join(folder.uploads, name);
    const { scratch } = folder;
    const written = { signal, readOnly: false, scratch, level };
    try {
      await writeArchive(path, written, (archive) => fill(archive, context));
      await progress.during('upload the snapshot', () =>
        uploadFile(bucket, { path, key, partBytes, maxInFlight, signal }),
      );
    } finally {
      await rm(folder.uploads, { recursive: true, force: true });
    }
  });
}

/** Several snapshots that wait are one; it fails for all of them. */
function runner(make: (context: BatchContext) => Promise<void>): TaskRunner {
  return async (tasks, context) => {
    try {
      await make(context);
    } catch (error) {
      if (context.signal.aborted) throw new BatchAborted();
      if (error instanceof BatchAborted || error instanceof ApiError) throw error;
      const message = reasonOf(error);
      const reason = { code: 'internal', message: `The snapshot could not be made: ${message}` };
      return { outcomes: tasks.map((task) => failed(task, reason)), registry: [] };
    }
    return { outcomes: tasks.map((task) => succeeded(task)), registry: [] };
  };
}

/**
 * The copy of the store comes first and decides: what it names, indexes and payloads of tasks that
 * wait, stands still or is still there afterwards, because no batch ends while this one runs.
 */
async function fill(archive: Archive, context: BatchContext): Promise<void> {
  const { folder, store, progress } = context;
  const copy = await folder.newScratchPath('server.sqlite');
  await inSteps(progress, 'creating the snapshot', [
    ['start the snapshot creation', () => store.copyTo(copy)],
    [
      'snapshot the index scheduler',
      async () => {
        await archive.addFile('VERSION', join(folder.path, 'VERSION'));
        await archive.addFile('server.sqlite', copy);
      },
    ],
    ['snapshot the update files', () => addPayloads(archive, context)],
    ['snapshot the indexes', () => addIndexes(archive, context)],
  ]);
}

async function addPayloads(archive: Archive, { store, folder }: BatchContext): Promise<void> {
  for (const name of (await waitingPayloads(store)).keys()) {
    await archive.addFile(`payloads/${name}`, folder.payloadPath(name));
  }
}

async function addIndexes(archive: Archive, context: BatchContext): Promise<void> {
  await withEachIndex([...context.registry.rows()], context, (index, { directory }) =>
    index.addFilesTo(archive, `indexes/${directory}`),
  );
}
