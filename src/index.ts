export type { KeyAction } from './auth/actions.js';
export type { ApiKey as Key, KeyChange, KeyCreation as NewKey } from './auth/api-key.js';
export type { ApiKeys } from './auth/api-keys.js';
export type { AccessKeys, BucketOptions, WebIdentity } from './backup/bucket/bucket-options.js';
export { ImportError } from './backup/import-error.js';
export type { ImportSource } from './backup/start-import.js';
export type { CheckReport, DamagedFile } from './check/check-report.js';
export type { PayloadFormat } from './documents/payload-reader.js';
export type { Attribute, AttributeValue, Retrieved } from './embedded/attribute.js';
export {
  type Comparable,
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
  AttributeOrAll,
  CroppedAttribute,
  DocumentOf,
  FacetSearchParameters,
  FacetSearchResponse,
  FederatedResponse,
  Federation,
  FederationOptions,
  FilterInput,
  FilterList,
  Formatted,
  Hit,
  HybridSearch,
  IndexQuery,
  MatchingStrategy,
  MatchPosition,
  MultiSearchResponse,
  ResponseOf,
  SearchParameters,
  SearchRequest,
  SearchResponse,
  SimilarParameters,
  SimilarResponse,
  SortCriterion,
} from './embedded/search-types.js';
export type {
  AttributePattern,
  Embedder,
  EmbedderModel,
  Faceting,
  FilterableRule,
  Fragment,
  IndexChat,
  RankingRule,
  Settings,
  SettingsChange,
  TypoTolerance,
} from './embedded/settings-types.js';
export type { EmbedderOptions } from './embedders/embedders.js';
export type { Fetch } from './embedders/embedding-request.js';
export type { LocalModelOptions } from './embedders/local-models.js';
export { ApiError as ServalError, type ErrorBody } from './errors/api-error.js';
export type { ErrorCode } from './errors/codes.js';
export type { Feature, FeatureSwitches } from './features/feature.js';
export type { StoredFeatures } from './features/stored-features.js';
export type { IndexStats } from './indexes/index-reader.js';
export type { IndexInfo, IndexRegistry } from './indexes/index-registry.js';
export { Serval, type ServalOptions } from './serval.js';
export type { RetentionLimits } from './tasks/retention.js';
export type {
  Batch,
  BatchProgress,
  BatchStats,
  Page,
  Task,
  TaskDetails,
  TaskStatus,
  TaskSummary,
  TaskType,
} from './tasks/task.js';
export type { TaskCounts } from './tasks/task-counts.js';
export type { TaskEvent, TaskEvents } from './tasks/task-events.js';
export type { TaskFilter } from './tasks/task-filter.js';
export type { TaskQueue } from './tasks/task-queue.js';
export type { WaitLimits } from './tasks/task-waiting.js';
