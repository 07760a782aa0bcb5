import { covers } from '../auth/index-pattern.js';
import { ApiError } from '../errors/api-error.js';
import { reasonOf } from '../errors/error-reason.js';
import { BatchAborted, type EngineIndex } from '../native/engine-index.js';
import { textOf } from '../native/json-text.js';
import type { IndexRow, RunnableTask } from '../native/store.js';
import { type BatchContext, contentOf, type TaskRunner } from '../tasks/batch-context.js';
import { type BatchEnd, failed, ofIndex } from '../tasks/batch-end.js';
import type { ExportDraft, ExportRule } from '../tasks/task-draft.js';
import type { SendRequest } from './outgoing-request.js';
import { RemoteInstance } from './remote-instance.js';
import type { RetryLimits } from './retry-limits.js';

/** What exports work with. */
export interface ExportParts {
  readonly features: { all(): Readonly<Record<string, boolean>> };
  /** Bytes of one request at the most when the task does not say. */
  readonly payloadBytes?: number | undefined;
  readonly send: SendRequest;
  readonly retry?: RetryLimits;
}

const DEFAULT_PAYLOAD_BYTES = 95 * 2 ** 20;

/** Settings that an instance refuses while their feature is off. */
const GATED = { foreignKeys: 'foreignKeys', chat: 'chatCompletions' } as const;

/** Copies indexes to another instance. */
export function exportRunner(parts: ExportParts): TaskRunner {
  return async (tasks, context) => {
    const [task] = tasks;
    return task === undefined ? { outcomes: [], registry: [] } : runExport(task, parts, context);
  };
}

async function runExport(
  task: RunnableTask,
  parts: ExportParts,
  context: BatchContext,
): Promise<BatchEnd> {
  const draft = contentOf(task) as ExportDraft;
  try {
    const indexes = await exportAll(draft, parts, context);
    const details = { ...task.details, indexes };
    return { outcomes: [{ uid: task.uid, status: 'succeeded', details }], registry: [] };
  } catch (error) {
    if (context.signal.aborted) throw new BatchAborted();
    if (error instanceof ApiError) throw error;
    const message = reasonOf(error);
    return { outcomes: [failed(task, { code: 'internal', message })], registry: [] };
  }
}

/** What was exported, by the uids of the indexes. */
async function exportAll(
  draft: ExportDraft,
  parts: ExportParts,
  context: BatchContext,
): Promise<Record<string, object>> {
  const { signal, registry, progress } = context;
  const chosen = chosenIndexes(draft, registry.rows());
  const done: Record<string, object> = {};
  if (chosen.length === 0) return done;
  const { url, apiKey } = draft;
  const { send, retry } = parts;
  const remote = new RemoteInstance({ url, apiKey, send, signal, retry });
  progress.enter('index', chosen.length);
  try {
    for (const [row, rule] of chosen) {
      const index = await registry.open(row.uid);
      if (index === undefined) continue;
      const exported = new IndexExport(row, rule, index, remote, context);
      const maxBytes = draft.payloadSize ?? parts.payloadBytes ?? DEFAULT_PAYLOAD_BYTES;
      const matchedDocuments = await exported.run(parts.features.all(), maxBytes);
      done[row.uid] = { ...rule, matchedDocuments };
      progress.advance();
    }
  } finally {
    progress.leave();
  }
  return done;
}

/** Indexes that a pattern covers, by uid, each with the rule of the first that does. */
function chosenIndexes(
  { indexes }: ExportDraft,
  rows: Iterable<IndexRow>,
): [row: IndexRow, rule: ExportRule][] {
  const patterns = Object.entries(indexes);
  return [...rows]
    .sort((a, b) => (a.uid < b.uid ? -1 : 1))
    .flatMap((row): [IndexRow, ExportRule][] => {
      const rule = patterns.find(([pattern]) => covers(pattern, row.uid))?.[1];
      return rule === undefined ? [] : [[row, rule]];
    });
}

/** The copy of one index. */
class IndexExport {
  readonly #row: IndexRow;
  readonly #rule: ExportRule;
  readonly #index: EngineIndex;
  readonly #remote: RemoteInstance;
  readonly #context: BatchContext;

  constructor(
    row: IndexRow,
    rule: ExportRule,
    index: EngineIndex,
    remote: RemoteInstance,
    context: BatchContext,
  ) {
    this.#row = row;
    this.#rule = rule;
    this.#index = index;
    this.#remote = remote;
    this.#context = context;
  }

  /** Sends everything; returns how many documents there were. */
  async run(features: Readonly<Record<string, boolean>>, maxBytes: number): Promise<number> {
    const { progress } = this.#context;
    const sendsSettings = await progress.during('ensuring correctness of the target', () =>
      this.#ensureIndex(),
    );
    if (sendsSettings) {
      await progress.during('exporting the settings', () => this.#sendSettings(features));
    }
    return this.#sendDocuments(maxBytes);
  }

  /** Whether the settings are to be sent, too. */
  async #ensureIndex(): Promise<boolean> {
    const { uid, primaryKey } = this.#row;
    if (!(await this.#remote.hasIndex(uid))) {
      await this.#remote.createIndex(uid, primaryKey);
      return true;
    }
    if (!this.#rule.overrideSettings) return false;
    if (primaryKey !== null) await this.#remote.setPrimaryKey(uid, primaryKey);
    return true;
  }

  async #sendSettings(features: Readonly<Record<string, boolean>>): Promise<void> {
    const settings = JSON.parse(textOf(await this.#index.settings())) as Record<string, unknown>;
    for (const [name, feature] of Object.entries(GATED)) {
      if (features[feature] !== true) delete settings[name];
    }
    await this.#remote.setSettings(this.#row.uid, settings);
  }

  /**
   * One request after the other: order of first insertion is the last word of the ranking, and
   * requests side by side would arrive in any order. The next piece is made while one is sent.
   */
  async #sendDocuments(maxBytes: number): Promise<number> {
    const { progress } = this.#context;
    const lines = await this.#chosenLines();
    progress.enter('exporting the documents', Math.max(lines.nDocuments, 1));
    try {
      let piece = await lines.next(maxBytes);
      while (piece.documents > 0) {
        if (this.#context.signal.aborted) throw new BatchAborted();
        const following = lines.next(maxBytes);
        following.catch(() => undefined);
        await this.#remote.addDocuments(this.#row.uid, piece.bytes);
        progress.advance(piece.documents);
        piece = await following;
      }
    } finally {
      progress.leave();
    }
    return lines.nDocuments;
  }

  async #chosenLines() {
    try {
      return await this.#index.lines(this.#rule.filter);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { code, message } = ofIndex(this.#row.uid, error);
      throw new ApiError(code as ApiError['code'], message);
    }
  }
}
