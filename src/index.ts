export { ImportError } from './backup/import-error.js';
export type { ImportSource } from './backup/start-import.js';
export type { DocumentSource } from './documents/document-source.js';
export type { PayloadFormat } from './documents/payload-reader.js';
export { ApiError as ServalError } from './errors/api-error.js';
export type { ErrorCode } from './errors/codes.js';
export type { IndexStats } from './indexes/index-reader.js';
export type { IndexInfo } from './indexes/index-registry.js';
export { Serval, type ServalOptions } from './serval.js';
export {
  type AddOptions,
  type DocumentsPage,
  type DocumentsQuery,
  type EnqueuedTask,
  type Formatted,
  type Hit,
  Index,
  type SearchResult,
} from './serval-index.js';
export type { Batch, Page, Task, TaskStatus, TaskSummary, TaskType } from './tasks/task.js';
export type { TaskFilter } from './tasks/task-filter.js';
export type { WaitOptions } from './tasks/task-queue.js';
