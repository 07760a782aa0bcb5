import type { IndexSwap } from '../indexes/index-swaps.js';
import type { UidRanges } from '../native/store.js';
import type { RuleChange } from '../search-rules/search-rule.js';
import type { PayloadFile } from './payload-file.js';

interface Draft<Type extends string> {
  readonly type: Type;
  readonly indexUid: string;
  readonly customMetadata?: string;
}

/** Documents that were read and checked, as NDJSON. */
export interface Payload {
  readonly documents: number;
  /** Size of the NDJSON, when known. */
  readonly bytes?: number;
  readonly content: PayloadFile | { readonly inline: string };
}

/** Which documents a deletion is about. */
export type DeletionSelection =
  | { readonly ids: readonly string[] }
  /** Many ids, in a file: one JSON string a line. */
  | { readonly idsIn: PayloadFile; readonly providedIds: number }
  | { readonly filter: unknown }
  | 'all';

/** Documents to add or update. */
export type AdditionDraft = Draft<'documentAdditionOrUpdate'> & {
  readonly method: 'replace' | 'update';
  readonly primaryKey: string | null;
  readonly payload: Payload;
  /** Documents that do not exist yet are ignored. */
  readonly skipCreation: boolean;
  /** Whether a missing index is created. */
  readonly mayCreateIndex: boolean;
};

/** Documents to delete. */
export type DeletionDraft = Draft<'documentDeletion'> & { readonly selection: DeletionSelection };

/** Documents to edit by a function. */
export type EditionDraft = Draft<'documentEdition'> & {
  readonly function: string;
  readonly context: Readonly<Record<string, unknown>> | null;
  /** The context as JSON, where JavaScript does not hold its numbers as they were written. */
  readonly contextJson?: string;
  /** Chooses the documents; null: all. */
  readonly filter: unknown;
};

/** Settings to change. */
export type SettingsDraft = Draft<'settingsUpdate'> &
  GivenSettings & { readonly mayCreateIndex: boolean };

/** The changed settings as sent; null resets one. */
export type GivenSettings =
  | {
      readonly settings: Readonly<Record<string, unknown>>;
      /** What the task shows of them, when that differs (secrets masked). */
      readonly shownSettings?: Readonly<Record<string, unknown>>;
    }
  | LongSettings;

/** Settings of many words, in a file as one JSON object: no event loop reads them again. */
export interface LongSettings {
  readonly settingsIn: PayloadFile;
  /** The names of those that are in it. */
  readonly settingNames: readonly string[];
  /** What the task shows of them, as JSON; not kept beside the details of the task. */
  readonly shownJson?: Buffer;
}

/** An index to create. */
export type IndexCreationDraft = Draft<'indexCreation'> & { readonly primaryKey: string | null };

/** An index to rename, or to give another primary key. */
export type IndexUpdateDraft = Draft<'indexUpdate'> & {
  readonly primaryKey?: string | null;
  readonly newIndexUid?: string;
};

/** Indexes to exchange, or to rename. */
export interface IndexSwapDraft {
  readonly type: 'indexSwap';
  readonly swaps: readonly IndexSwap[];
}

/** Tasks to cancel or to forget: those that matched when it was enqueued. */
export interface TaskSelectionDraft {
  readonly type: 'taskCancelation' | 'taskDeletion';
  readonly tasks: UidRanges;
  readonly originalFilter: string;
}

/** A search rule to change or create; to remove, when the change is null. */
export interface RuleUpdateDraft {
  readonly type: 'dsrUpdate';
  readonly ruleUid: string;
  readonly change: RuleChange | null;
  readonly customMetadata?: string;
}

/** Every search rule to remove. */
export interface RuleClearDraft {
  readonly type: 'dsrClear';
  readonly customMetadata?: string;
}

/** A dump or a snapshot to make. */
export interface BackupDraft {
  readonly type: 'dumpCreation' | 'snapshotCreation';
}

/** The upgrade of the data folder to the version that runs. */
export interface UpgradeDraft {
  readonly type: 'upgradeDatabase';
  readonly upgradeFrom: string;
  readonly upgradeTo: string;
}

/** What of the indexes that a pattern covers is exported, and how. */
export interface ExportRule {
  readonly filter: unknown;
  readonly overrideSettings: boolean;
}

/** Indexes to copy to another instance. */
export interface ExportDraft {
  readonly type: 'export';
  readonly url: string;
  readonly apiKey: string | null;
  /** Bytes of one request at the most; null leaves it to the server. */
  readonly payloadSize: number | null;
  /** What the task shows of it. */
  readonly shownPayloadSize: string | null;
  /** By pattern of index uids; the first one that covers an index decides. */
  readonly indexes: Readonly<Record<string, ExportRule>>;
}

/** A write to enqueue. */
export type TaskDraft =
  | BackupDraft
  | ExportDraft
  | UpgradeDraft
  | IndexCreationDraft
  | IndexUpdateDraft
  | Draft<'indexDeletion' | 'indexCompaction'>
  | IndexSwapDraft
  | AdditionDraft
  | EditionDraft
  | DeletionDraft
  | SettingsDraft
  | TaskSelectionDraft
  | RuleUpdateDraft
  | RuleClearDraft;
