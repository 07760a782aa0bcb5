import { ApiError } from '../errors/api-error.js';
import { DISCUSSIONS_URL } from '../errors/docs-url.js';

/** The experimental features in the order of the wire, with their names in messages and threads. */
const FEATURES = {
  metrics: { name: 'metrics', discussion: 625 },
  logsRoute: { name: 'logs route', discussion: 721 },
  editDocumentsByFunction: { name: 'edit documents by function', discussion: 762 },
  containsFilter: { name: 'contains filter', discussion: 763 },
  dynamicSearchRules: { name: 'dynamic search rules', discussion: 884 },
  network: { name: 'network', discussion: 805 },
  getTaskDocumentsRoute: { name: 'get task documents route', discussion: 808 },
  taskQueueCompactionRoute: { name: 'task queue compaction route', discussion: 883 },
  compositeEmbedders: { name: 'composite embedders', discussion: 816 },
  chatCompletions: { name: 'chat completions', discussion: 835 },
  multimodal: { name: 'multimodal', discussion: 846 },
  foreignKeys: { name: 'foreign_keys', discussion: 873 },
  disableDocumentsFetchQueue: { name: 'disable documents fetch queue', discussion: 0 },
  legacySearch: { name: 'legacy search', discussion: 0 },
  renderRoute: { name: 'render_route', discussion: 888 },
} as const;

/** A feature that can be switched while the server runs. */
export type Feature = keyof typeof FEATURES;

/** Features to switch on or off; null and absent ones stay. */
export type FeatureSwitches = { readonly [Name in Feature]?: boolean | null | undefined };

/** Every switchable feature, in the order of the wire. */
export const FEATURE_NAMES = Object.keys(FEATURES) as readonly Feature[];

/** The refusal of an action whose feature is off. */
export function featureNotEnabled(feature: Feature, action: string): ApiError {
  const { name, discussion } = FEATURES[feature];
  return refusal(name, discussion, action);
}

/** Throws the refusal of an action unless its feature is on. */
export function requireFeature(
  on: Readonly<Record<string, boolean>>,
  feature: Feature,
  action: string,
): void {
  if (on[feature] !== true) throw featureNotEnabled(feature, action);
}

/** The refusal of personalized searches: they need a launch option, not a switch. */
export function personalizationNotEnabled(): ApiError {
  return refusal('personalization', 866, 'reranking search results');
}

function refusal(name: string, discussion: number, action: string): ApiError {
  const link = `${DISCUSSIONS_URL}/${discussion}`;
  return new ApiError(
    'feature_not_enabled',
    `${action} requires enabling the \`${name}\` experimental feature. See ${link}`,
  );
}
