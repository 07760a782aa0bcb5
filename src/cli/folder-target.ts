import type { KeyCreation } from '../auth/api-key.js';
import { engineDocumentsRequest, fetchDocumentsSchema } from '../documents/documents-request.js';
import type { EnqueuedTask } from '../embedded/enqueued-task.js';
import { searchIndex } from '../embedded/index-search.js';
import { requireReader } from '../indexes/require-reader.js';
import { searchRequestSchema } from '../search/search-request.js';
import { Serval } from '../serval.js';
import { validated } from '../validation/validated.js';
import { CommandError, EXIT, usageError } from './exit-code.js';
import type {
  DocumentBatch,
  DocumentsRequest,
  NewTargetKey,
  Target,
  TargetIndex,
  TargetKey,
  TargetTask,
} from './target.js';

/** A data folder that no server runs on, opened in this process. */
export class FolderTarget implements Target {
  readonly place: string;
  readonly #serval: Serval;
  readonly #masterKey: string | undefined;
  readonly #signal: AbortSignal;

  private constructor(serval: Serval, masterKey: string | undefined, signal: AbortSignal) {
    this.#serval = serval;
    this.#masterKey = masterKey;
    this.#signal = signal;
    this.place = serval.folder.path;
  }

  static async open(
    path: string,
    masterKey: string | undefined,
    signal: AbortSignal,
  ): Promise<FolderTarget> {
    try {
      return new FolderTarget(await Serval.open(path), masterKey, signal);
    } catch (error) {
      throw new CommandError(EXIT.failed, `${path} cannot be opened: ${(error as Error).message}`);
    }
  }

  async indexes(): Promise<readonly TargetIndex[]> {
    return (await this.#serval.indexes.list(0, Number.MAX_SAFE_INTEGER)).results;
  }

  createIndex(uid: string, primaryKey: string | null): Promise<number> {
    return uidOf(this.#serval.index(uid).create(primaryKey));
  }

  async settings(uid: string): Promise<Record<string, unknown>> {
    return { ...(await this.#serval.index(uid).settings()) };
  }

  updateSettings(uid: string, settings: object): Promise<number> {
    return uidOf(this.#serval.index(uid).updateSettings(settings));
  }

  async countDocuments(uid: string): Promise<number> {
    return (await this.#serval.index(uid).stats()).numberOfDocuments;
  }

  async attributes(uid: string): Promise<readonly string[]> {
    return Object.keys((await this.#serval.index(uid).stats()).fieldDistribution);
  }

  addDocuments(uid: string, batch: DocumentBatch): Promise<number> {
    const { bytes, format, csvDelimiter: delimiter = ',', primaryKey, isUpdate = false } = batch;
    const index = this.#serval.index(uid);
    const source = [bytes] as unknown as Iterable<Record<string, unknown>>;
    const options = {
      primaryKey,
      format: format === 'csv' ? { format, delimiter } : { format },
      signal: this.#signal,
    };
    return uidOf(
      isUpdate ? index.updateDocuments(source, options) : index.addDocuments(source, options),
    );
  }

  async documents(uid: string, request: DocumentsRequest): Promise<Buffer> {
    const asked = validated(fetchDocumentsSchema, request);
    const reader = await requireReader(this.#serval, uid);
    return reader.documents(engineDocumentsRequest(asked, this.#serval.features.all()));
  }

  search(uid: string, request: object): Promise<Buffer> {
    return searchIndex(uid, validated(searchRequestSchema, request), this.#serval.searching);
  }

  createDump(): Promise<number> {
    return uidOf(this.#serval.createDump());
  }

  createSnapshot(): Promise<number> {
    return uidOf(this.#serval.createSnapshot());
  }

  async ended(uid: number): Promise<TargetTask> {
    return this.#serval.tasks.waitFor(uid, { signal: this.#signal });
  }

  async keys(): Promise<readonly TargetKey[]> {
    return this.#keys().list(0, Number.MAX_SAFE_INTEGER).results;
  }

  async createKey(key: NewTargetKey): Promise<TargetKey> {
    return this.#keys().create(key as KeyCreation);
  }

  deleteKey(uidOrKey: string): Promise<void> {
    return this.#keys().delete(uidOrKey);
  }

  close(): Promise<void> {
    return this.#serval.close();
  }

  #keys() {
    if (this.#masterKey !== undefined) return this.#serval.apiKeys(this.#masterKey);
    throw usageError('keys of a data folder need its master key: --api-key');
  }
}

async function uidOf(task: Promise<EnqueuedTask>): Promise<number> {
  return (await task).taskUid;
}
