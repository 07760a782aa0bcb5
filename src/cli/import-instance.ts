import { SETTING_NAMES } from '../settings/settings-schema.js';
import { shownCount } from './amounts.js';
import type { CommandContext } from './command.js';
import { CommandError, EXIT } from './exit-code.js';
import { allSucceeded } from './import-files.js';
import type { ImportState } from './import-state.js';
import { documentsOfPage } from './json-values.js';
import { ProgressBar } from './progress-bar.js';
import { linesOf } from './records.js';
import { succeeded, type Target, type TargetIndex } from './target.js';

/** How an instance is copied. */
export interface InstanceImport {
  /** Patterns of uids; all indexes when empty. */
  readonly indexes: readonly string[];
  readonly batchDocuments: number;
  readonly copiesKeys: boolean;
  /** Keys of embedders by name: a server never shows those it has. */
  readonly embedderKeys: Readonly<Record<string, string>>;
}

/** What came of the copy of one index. */
export interface IndexResult {
  readonly index: string;
  readonly documents: number;
  /** Documents that the target has now; others may have been there before. */
  readonly found: number;
}

/** What came of the copy of an instance. */
export interface InstanceResult {
  readonly indexes: readonly IndexResult[];
  readonly keys: { readonly copied: number; readonly sameSecrets: boolean };
  /** What could not be copied, and why. */
  readonly notes: readonly string[];
}

/** Copies indexes with settings and documents, and keys, from a server to a target. */
export async function importInstance(
  source: Target,
  target: Target,
  state: ImportState,
  options: InstanceImport,
  context: CommandContext,
): Promise<InstanceResult> {
  const notes: string[] = [];
  const chosen = (await source.indexes()).filter(({ uid }) => isChosen(uid, options.indexes));
  if (chosen.length === 0 && options.indexes.length > 0) {
    throw new CommandError(EXIT.notFound, `${source.place} has no such index`);
  }
  const results: IndexResult[] = [];
  for (const index of chosen) {
    const copy = { index, source, target, state, options, context, notes };
    if (!state.of(index.uid).hasSettings) await copySettings(copy);
    results.push(await copyDocuments(copy));
  }
  const keys = options.copiesKeys
    ? await copyKeys(source, target, notes)
    : { copied: 0, sameSecrets: true };
  state.remove();
  return { indexes: results, keys, notes };
}

interface Copy {
  readonly index: TargetIndex;
  readonly source: Target;
  readonly target: Target;
  readonly state: ImportState;
  readonly options: InstanceImport;
  readonly context: CommandContext;
  readonly notes: string[];
}

function isChosen(uid: string, patterns: readonly string[]): boolean {
  const matches = (pattern: string) =>
    pattern.endsWith('*') ? uid.startsWith(pattern.slice(0, -1)) : uid === pattern;
  return patterns.length === 0 || patterns.some(matches);
}

/** Settings come before documents, so that those are indexed once. */
async function copySettings({ index, source, target, state, options, notes }: Copy): Promise<void> {
  const { uid, primaryKey } = index;
  const known = await target.indexes();
  if (!known.some((one) => one.uid === uid)) {
    await succeeded(target, await target.createIndex(uid, primaryKey));
  }
  const settings = takenSettings(uid, await source.settings(uid), options, notes);
  const task = await target.updateSettings(uid, settings).catch((error: unknown) => {
    if (!isCode(error, 'feature_not_enabled')) throw error;
    notes.push(`${uid}: settings of experimental features that are off here were left out`);
    const { chat: _chat, foreignKeys: _foreignKeys, ...rest } = settings;
    return target.updateSettings(uid, rest);
  });
  await succeeded(target, task);
  state.of(uid).hasSettings = true;
  state.save();
}

/** The settings that can be copied: known ones, without keys that are only hinted at. */
function takenSettings(
  uid: string,
  settings: Readonly<Record<string, unknown>>,
  { embedderKeys }: InstanceImport,
  notes: string[],
): Record<string, unknown> {
  const known: readonly string[] = SETTING_NAMES;
  const unknown = Object.keys(settings).filter((name) => !known.includes(name));
  if (unknown.length > 0) notes.push(`${uid}: unknown settings left out: ${unknown.join(', ')}`);
  const entries = Object.entries(settings).filter(([name, value]) => {
    const isEmptyList = name === 'foreignKeys' && Array.isArray(value) && value.length === 0;
    return known.includes(name) && !isEmptyList && !(name === 'chat' && value == null);
  });
  const taken = Object.fromEntries(entries);
  const embedders = taken.embedders as Record<string, Record<string, unknown>> | undefined;
  for (const [name, embedder] of Object.entries(embedders ?? {})) {
    if (!isMasked(embedder.apiKey)) continue;
    const { [name]: key } = embedderKeys;
    if (key !== undefined) embedder.apiKey = key;
    else {
      delete embedder.apiKey;
      notes.push(
        `${uid}: embedder ${name} has a key that is not shown: --embedder-key ${name}=KEY`,
      );
    }
  }
  return taken;
}

const isMasked = (key: unknown): boolean => typeof key === 'string' && /X{3,}\.\.\.$/.test(key);

async function copyDocuments(copy: Copy): Promise<IndexResult> {
  const { index, source, target, state, options, context } = copy;
  const { uid, primaryKey } = index;
  const progress = state.of(uid);
  const bar = new ProgressBar(context.terminal, `copying ${uid}`, shownCount);
  const tasks: number[] = [];
  try {
    while (!progress.isDone) {
      context.signal.throwIfAborted();
      const page = await source.documents(uid, {
        offset: progress.documents,
        limit: options.batchDocuments,
        retrieveVectors: true,
      });
      const { documents, total } = documentsOfPage(page);
      if (documents.length > 0) {
        const batch = { bytes: linesOf(documents), format: 'ndjson' as const };
        tasks.push(
          await target.addDocuments(uid, { ...batch, primaryKey: primaryKey ?? undefined }),
        );
      }
      progress.documents += documents.length;
      progress.isDone = documents.length === 0 || progress.documents >= total;
      state.save();
      bar.update(progress.documents, total);
    }
  } finally {
    bar.end();
  }
  await allSucceeded(tasks, target, context.terminal);
  const found = await target.countDocuments(uid);
  if (found < progress.documents) {
    copy.notes.push(`${uid}: ${progress.documents} documents were sent, ${found} are there`);
  }
  return { index: uid, documents: progress.documents, found };
}

/** Keys keep their uids; their secrets are the same where the master key is. */
async function copyKeys(
  source: Target,
  target: Target,
  notes: string[],
): Promise<InstanceResult['keys']> {
  const [theirs, ours] = await Promise.all([source.keys(), target.keys()]).catch((error) => {
    notes.push(`keys were not copied: ${(error as Error).message}`);
    return [[], []];
  });
  const taken = new Set(ours.map(({ uid }) => uid));
  let copied = 0;
  let sameSecrets = true;
  for (const { key, uid, name, description, actions, indexes, expiresAt } of theirs.toReversed()) {
    if (taken.has(uid)) continue;
    const wanted = { uid, name, description, actions, indexes, expiresAt };
    try {
      const made = await target.createKey(wanted);
      copied += 1;
      sameSecrets &&= made.key === key;
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error)) throw error;
      notes.push(`key ${name ?? uid} was not copied: ${error.message}`);
    }
  }
  if (!sameSecrets) {
    notes.push('the master keys differ, so keys have new secrets: hand them out, see serval keys');
  }
  return { copied, sameSecrets };
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && (error as { code?: string }).code === code;
}
