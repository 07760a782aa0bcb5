import type { ImportedTask } from '../native/store.js';
import type { TaskContent } from '../tasks/queued-task.js';
import type { TaskType } from '../tasks/task.js';
import { camelCased } from './dump-record-import.js';

/**
 * Tasks as other writers of the layout put them down: `type` is a word, or an object whose only
 * key is that word and whose value holds what the task should do, with underscores in the names.
 */
const TYPES: Readonly<Record<string, TaskType>> = {
  documentImport: 'documentAdditionOrUpdate',
  documentEdition: 'documentEdition',
  documentDeletion: 'documentDeletion',
  documentDeletionByFilter: 'documentDeletion',
  documentClear: 'documentDeletion',
  settings: 'settingsUpdate',
  indexCreation: 'indexCreation',
  indexDeletion: 'indexDeletion',
  indexUpdate: 'indexUpdate',
  indexSwap: 'indexSwap',
  indexCompaction: 'indexCompaction',
  taskCancelation: 'taskCancelation',
  tasksDeletion: 'taskDeletion',
  dumpCreation: 'dumpCreation',
  snapshotCreation: 'snapshotCreation',
  export: 'export',
  upgradeDatabase: 'upgradeDatabase',
  networkTopologyChange: 'networkTopologyChange',
};

type Fields = Record<string, unknown>;

/** A task of another writer in our form; `undefined` when the line is in our form already. */
export function foreignTask(line: Fields): ImportedTask | undefined {
  if (typeof line.type === 'string' && (line.type !== 'documentClear' || 'content' in line)) {
    return undefined;
  }
  const [kind, fields] = kindOf(line.type);
  const type = TYPES[kind];
  if (type === undefined) return undefined;
  const { details: given, ...rest } = line;
  const details = detailsOf(kind, given);
  const task = {
    ...rest,
    type,
    mentions: [],
    ...(details === undefined ? {} : { details }),
  } as unknown as ImportedTask;
  if (task.status !== 'enqueued') return task;
  const content = contentOf(kind, fields, String(line.indexUid));
  // What it should do cannot be read: it is shown as given up rather than lost.
  return content === undefined ? { ...task, status: 'canceled' } : { ...task, content };
}

function kindOf(type: unknown): [kind: string, fields: Fields] {
  if (typeof type !== 'object' || type === null) return [String(type), {}];
  const [[kind, fields] = ['', {}]] = Object.entries(type);
  return [kind, isFields(fields) ? camelCased(fields) : {}];
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Details stand under a word, too. */
function detailsOf(kind: string, details: unknown): Fields | undefined {
  if (!isFields(details)) return undefined;
  const [inner] = Object.values(details);
  const fields = camelCased(isFields(inner) ? inner : details);
  if (isFields(fields.settings)) return fields.settings;
  return kind === 'documentDeletionByFilter' ? { providedIds: 0, ...fields } : fields;
}

function contentOf(kind: string, fields: Fields, indexUid: string): TaskContent | undefined {
  const primaryKey = typeof fields.primaryKey === 'string' ? fields.primaryKey : null;
  const mayCreateIndex = fields.allowIndexCreation === true;
  switch (kind) {
    case 'documentImport':
      return {
        type: 'documentAdditionOrUpdate',
        indexUid,
        method: fields.method === 'UpdateDocuments' ? 'update' : 'replace',
        primaryKey,
        payload: { documents: Number(fields.documentsCount), content: { inline: '' } },
        skipCreation: false,
        mayCreateIndex,
      };
    case 'documentDeletion':
      return {
        type: 'documentDeletion',
        indexUid,
        selection: { ids: fields.documentsIds as string[] },
      };
    case 'documentDeletionByFilter':
      return {
        type: 'documentDeletion',
        indexUid,
        selection: { filter: fields.filterExpr ?? fields.filter },
      };
    case 'documentClear':
      return { type: 'documentDeletion', indexUid, selection: 'all' };
    case 'settings':
      return {
        type: 'settingsUpdate',
        indexUid,
        settings: fields.settings as Fields,
        mayCreateIndex,
      };
    case 'indexCreation':
      return { type: 'indexCreation', indexUid, primaryKey };
    case 'indexUpdate':
      return { type: 'indexUpdate', indexUid, primaryKey };
    default:
      return undefined;
  }
}
