import { maskSecret } from '../settings/mask-secret.js';
import type { ExportDraft, TaskDraft } from './task-draft.js';
import { nUids } from './uid-ranges.js';

/** What a task shows, as a JSON object. */
export type Details = Record<string, unknown>;

/** Counters that are null until a task ends, and 0 when it fails or is canceled. */
const COUNTERS = [
  'indexedDocuments',
  'editedDocuments',
  'deletedDocuments',
  'canceledTasks',
  'deletedTasks',
];

/**
 * Marks stored details of an import that changes parts of documents. What was asked for is forgotten
 * once a task has ended, and updates still tell. It is not shown.
 */
const PARTIAL = 'isPartial';

/** Whether stored details are of an import that changes parts of documents. */
export function isPartialImport(details: Details | undefined): boolean {
  return details?.[PARTIAL] === true;
}

/** Stored details as they are shown. */
export function shownDetails({ [PARTIAL]: _, ...shown }: Details): Details {
  return shown;
}

/** The details of a task that waits; `undefined` when it shows none, or has them as JSON only. */
export function pendingDetails(draft: TaskDraft): Details | undefined {
  switch (draft.type) {
    case 'documentAdditionOrUpdate': {
      const details = { receivedDocuments: draft.payload.documents, indexedDocuments: null };
      return draft.method === 'update' ? { ...details, [PARTIAL]: true } : details;
    }
    case 'documentEdition': {
      const originalFilter = draft.filter === null ? null : JSON.stringify(draft.filter);
      const { context, function: text } = draft;
      const counters = { deletedDocuments: null, editedDocuments: null };
      return { ...counters, originalFilter, context, function: text };
    }
    case 'documentDeletion':
      return deletionDetails(draft.selection);
    case 'settingsUpdate':
      return 'settingsIn' in draft ? undefined : { ...(draft.shownSettings ?? draft.settings) };
    case 'indexCreation':
      return { primaryKey: draft.primaryKey };
    case 'indexUpdate':
      return {
        primaryKey: draft.primaryKey ?? null,
        ...(draft.newIndexUid === undefined
          ? {}
          : { oldIndexUid: draft.indexUid, newIndexUid: draft.newIndexUid }),
      };
    case 'indexDeletion':
      return { deletedDocuments: null };
    case 'indexSwap':
      return { swaps: draft.swaps.map(({ indexes, rename }) => ({ indexes, rename })) };
    case 'dsrUpdate': {
      const { ruleUid: uid, change } = draft;
      return { ...(change === null ? {} : { rule: { uid, ...change } }), updatedRules: 1 };
    }
    case 'dsrClear':
      return { deletedDocuments: null };
    case 'dumpCreation':
      return { dumpUid: null };
    case 'indexCompaction':
      return {};
    case 'snapshotCreation':
      return undefined;
    case 'upgradeDatabase':
      return { upgradeFrom: draft.upgradeFrom, upgradeTo: draft.upgradeTo };
    case 'export':
      return exportDetails(draft);
    default: {
      const counter = draft.type === 'taskCancelation' ? 'canceledTasks' : 'deletedTasks';
      const matchedTasks = nUids(draft.tasks);
      return { matchedTasks, [counter]: null, originalFilter: draft.originalFilter };
    }
  }
}

function exportDetails({ url, apiKey, shownPayloadSize, indexes }: ExportDraft): Details {
  return {
    url,
    ...(apiKey === null ? {} : { apiKey: maskSecret(apiKey) }),
    ...(shownPayloadSize === null ? {} : { payloadSize: shownPayloadSize }),
    indexes,
  };
}

function deletionDetails(selection: Extract<TaskDraft, { selection: unknown }>['selection']) {
  if (selection === 'all') return { deletedDocuments: null };
  if (!('filter' in selection)) {
    const providedIds = 'ids' in selection ? selection.ids.length : selection.providedIds;
    return { providedIds, deletedDocuments: null, originalFilter: null };
  }
  const originalFilter = JSON.stringify(selection.filter);
  return { providedIds: 0, deletedDocuments: null, originalFilter };
}

/** The details of a task that failed or was canceled: its counters are 0. */
export function failedDetails(details: Details | null): Details | undefined {
  return details === null ? undefined : withCounters(details, {});
}

/** The details of a task that succeeded with the given counts; counters not given are 0. */
export function finishedDetails(details: Details | null, counts: Details): Details | undefined {
  return details === null ? undefined : withCounters(details, counts);
}

function withCounters(details: Details, counts: Details): Details {
  const filled = Object.entries(details).map(([key, value]) =>
    COUNTERS.includes(key) && value === null ? [key, counts[key] ?? 0] : [key, value],
  );
  return Object.fromEntries(filled);
}
