import { type Options, option, optional, toggle } from './option.js';
import { byteSize, integer, ipNetworks, webUrl, word } from './readers.js';

const number = (otherwise: number, least: number, help: string) =>
  option(integer(least), otherwise, help);

const fuel = (otherwise: number, help: string) =>
  option(integer(0), otherwise, help, { variableOnly: true });

/** What may still change. */
export const EXPERIMENTAL_OPTIONS = {
  experimentalContainsFilter: toggle('Allow CONTAINS in filters from the start'),
  experimentalEnableMetrics: toggle('Serve /metrics from the start'),
  experimentalEnableLogsRoute: toggle('Serve /logs from the start'),
  experimentalLegacySearchDefault: toggle('Accepted and ignored: there is one way to search', {
    variable: 'SVC_EXPERIMENTAL_LEGACY_SEARCH',
  }),
  experimentalSearchQueueSize: number(1000, 1, 'Searches that may wait for their turn'),
  experimentalDropSearchAfter: number(
    60,
    1,
    'Seconds after which a search that still waits is refused',
  ),
  experimentalNbSearchesPerCore: number(4, 1, 'Searches that run at once, per core'),
  experimentalLogsMode: option(
    word(['human', 'json']),
    'human',
    'Form of the log: human (for people) or json',
  ),
  experimentalReduceIndexingMemoryUsage: toggle('Index with a quarter of the memory, slower'),
  experimentalMaxNumberOfBatchedTasks: option<number | undefined>(
    integer(0),
    undefined,
    'Tasks of one batch at most; 0 keeps the queue from being worked on',
    { shownDefault: 'unlimited' },
  ),
  experimentalLimitBatchedTasksTotalSize: option<number | undefined>(
    byteSize,
    undefined,
    'Documents of one batch at most, such as 1GiB',
    { shownDefault: 'half of the indexing memory, at most 10 GiB' },
  ),
  experimentalEmbeddingCacheEntries: number(0, 0, 'Embeddings of queries that are remembered'),
  experimentalPersonalizationApiKey: optional('Key of the service that personalises searches', {
    isSecret: true,
  }),
  experimentalPersonalizationUrl: option<string | undefined>(
    webUrl,
    'https://api.cohere.ai/v1/rerank',
    'Address of the service that personalises searches',
  ),
  experimentalAllowedIpNetworks: option(
    ipNetworks,
    [] as readonly string[],
    'Networks that may be called beside public ones: CIDR ranges with commas, or any',
    { shownDefault: 'none' },
  ),
  experimentalNoEdition2024ForSettings: toggle(
    'Accepted and ignored: there is one way to index settings',
  ),
  experimentalDsrFuelMaxCountedWords: fuel(10, 'Words of a query that search rules look at'),
  experimentalDsrFuelMaxActiveRules: fuel(1000, 'Search rules that may be active in a search'),
  experimentalDsrFuelMaxPinActions: fuel(100, 'Documents that search rules may pin in a search'),
  experimentalDsrFuelWordFuel: fuel(4096, 'Work for the words of search rules'),
  experimentalDsrFuelFilterFuel: fuel(4096, 'Work for the filters of search rules'),
  experimentalDsrFuelFilterOrFuel: fuel(100, 'Alternatives in a filter that search rules look at'),
  experimentalDsrFuelFilterAndFuel: fuel(100, 'Conditions in a filter that search rules look at'),
  experimentalDsrFuelFilterDepthFuel: fuel(25, 'Depth of a filter that search rules look at'),
  experimentalRemoteSearchTimeoutSeconds: option(
    integer(1),
    30,
    'Seconds after which a remote of the network counts as silent',
    { variableOnly: true },
  ),
} satisfies Options;
