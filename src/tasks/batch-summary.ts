import { SETTING_NAMES } from '../settings/settings-schema.js';
import type { BatchStats } from './task.js';
import type { Details } from './task-details.js';

/** What a batch is told of one of its tasks. */
export interface BatchMember {
  readonly type: string;
  readonly status: string;
  readonly indexUid: string | null;
  readonly details: Details | undefined;
}

const SUMMED = [
  'receivedDocuments',
  'indexedDocuments',
  'editedDocuments',
  'providedIds',
  'deletedDocuments',
  'matchedTasks',
  'canceledTasks',
  'deletedTasks',
  'movedDocuments',
  'updatedRules',
];

/** The order of keys in the details of a batch. */
const KEY_ORDER = [
  'receivedDocuments',
  'indexedDocuments',
  'editedDocuments',
  'primaryKey',
  'providedIds',
  'deletedDocuments',
  'matchedTasks',
  'canceledTasks',
  'deletedTasks',
  'originalFilter',
  'dumpUid',
  'context',
  'function',
  'swaps',
  'upgradeFrom',
  'upgradeTo',
  'url',
  'apiKey',
  'payloadSize',
  'indexes',
  'oldIndexUid',
  'newIndexUid',
  'preCompactionSize',
  'postCompactionSize',
  'movedDocuments',
  'message',
  'rule',
  'updatedRules',
];

/**
 * The settings that a batch changed, in the order of the wire, each with the task that changed it
 * last: its details have the value, which may be long. They stand behind all other details.
 */
export function takenDetails(
  members: readonly { readonly uid: number; readonly settingNames?: readonly string[] }[],
): [name: string, uid: number][] {
  const last = new Map<string, number>();
  for (const { uid, settingNames = [] } of members) {
    for (const name of settingNames) last.set(name, uid);
  }
  return SETTING_NAMES.flatMap((name) => {
    const uid = last.get(name);
    return uid === undefined ? [] : [[name, uid] as [string, number]];
  });
}

/** The details of a batch but for settings: counts are summed, filters joined, swaps listed. */
export function batchDetails(members: readonly BatchMember[]): Details {
  const sum: Details = {};
  for (const { details } of members) {
    for (const [key, value] of Object.entries(details ?? {})) {
      if (value !== undefined) addDetail(sum, key, value);
    }
  }
  return Object.fromEntries(Object.entries(sum).sort(([a], [b]) => rankOf(a) - rankOf(b)));
}

function rankOf(key: string): number {
  const rank = KEY_ORDER.indexOf(key);
  return rank === -1 ? KEY_ORDER.length : rank;
}

function addDetail(sum: Details, key: string, value: unknown): void {
  const known = sum[key];
  if (SUMMED.includes(key)) {
    sum[key] = known === undefined || known === null ? value : Number(known) + Number(value ?? 0);
  } else if (value === null) {
    return;
  } else if (known === undefined) {
    sum[key] = value;
  } else if (key === 'originalFilter') {
    sum[key] = `${known}&${value}`;
  } else if (key === 'swaps') {
    sum[key] = [...(known as unknown[]), ...(value as unknown[])];
  } else if (key === 'rule') {
    delete sum[key];
  }
}

/** Counts of the tasks of a batch by status, type and index. */
export function batchStats(
  members: readonly BatchMember[],
  progressTrace?: Record<string, string>,
): BatchStats {
  const stats: BatchStats = {
    totalNbTasks: members.length,
    status: countsOf(members.map(({ status }) => status)),
    types: countsOf(members.map(({ type }) => type)),
    indexUids: countsOf(members.flatMap(({ indexUid }) => indexUid ?? [])),
  };
  const traced = progressTrace !== undefined && Object.keys(progressTrace).length > 0;
  return traced ? { ...stats, progressTrace } : stats;
}

/** How often each word occurs. A map, since indexes may be called like what every object has. */
function countsOf(words: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Object.fromEntries(counts);
}
