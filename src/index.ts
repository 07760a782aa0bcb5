export type { KeyAction } from './auth/actions.js';
export type { ApiKey as Key, KeyChange, KeyCreation as NewKey } from './auth/api-key.js';
export type { AccessKeys, BucketOptions, WebIdentity } from './backup/bucket/bucket-options.js';
export { ImportError } from './backup/import-error.js';
export type { ImportSource } from './backup/start-import.js';
export type { CheckReport, DamagedFile } from './check/check-report.js';
export type { PayloadFormat } from './documents/payload-reader.js';
export type { Attribute, AttributeValue, Retrieved } from './embedded/attribute.js';
export {
  type Condition,
  type GeoPoint,
  geoBoundingBox,
  geoPolygon,
  geoRadius,
  type Where,
  whereOf as where,
} from './embedded/condition.js';
export type { EditOptions } from './embedded/document-edition.js';
export type {
  AddOptions,
  DocumentSource,
  DocumentsPage,
  DocumentsQuery,
  LongOptions,
  ReadingProgress,
} from './embedded/document-types.js';
export {
  type EnqueuedTask,
  TaskFailedError,
  type TaskProgress,
  type WaitOptions,
} from './embedded/enqueued-task.js';
export { and, Filter, type FilterValue, filter, not, or } from './embedded/filter.js';
export { Index } from './embedded/index-handle.js';
export type {
  FacetSearchParameters,
  FacetSearchResponse,
  FederatedResponse,
  Federation,
  FilterInput,
  Formatted,
  Hit,
  IndexQuery,
  MatchPosition,
  MultiSearchResponse,
  SearchParameters,
  SearchRequest,
  SearchResponse,
  SimilarParameters,
  SimilarResponse,
  SortCriterion,
} from './embedded/search-types.js';
export type {
  Embedder,
  Faceting,
  FilterableRule,
  RankingRule,
  Settings,
  SettingsChange,
  TypoTolerance,
} from './embedded/settings-types.js';
export { ApiError as ServalError } from './errors/api-error.js';
export type { ErrorCode } from './errors/codes.js';
export type { Feature } from './features/feature.js';
export type { IndexStats } from './indexes/index-reader.js';
export type { IndexInfo } from './indexes/index-registry.js';
export { Serval, type ServalOptions } from './serval.js';
export type {
  Batch,
  BatchProgress,
  Page,
  Task,
  TaskStatus,
  TaskSummary,
  TaskType,
} from './tasks/task.js';
export type { TaskEvent } from './tasks/task-events.js';
export type { TaskFilter } from './tasks/task-filter.js';
