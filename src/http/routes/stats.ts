import * as z from 'zod';
import { formatByteSize } from '../../indexes/byte-size.js';
import type { IndexStats } from '../../indexes/index-reader.js';
import { readEach } from '../../indexes/read-each.js';
import { coded } from '../../validation/field-rules.js';
import type { ApiShape } from '../api-shape.js';
import { requireReader } from '../require-index.js';
import { type AnyRoute, route } from '../route.js';
import type { IndexReader, Services } from '../services.js';
import { visibleIndexes } from './indexes.js';

const statsQuerySchema = z.strictObject({
  showInternalDatabaseSizes: coded(
    'invalid_stats_show_internal_database_sizes',
    z.boolean(),
  ).optional(),
  sizeFormat: coded('invalid_stats_size_format', z.enum(['human', 'raw'])).optional(),
});

type StatsQuery = z.output<typeof statsQuerySchema>;

/** Counts and sizes, of one index and of everything. */
export const statsRoutes = (services: Services): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/indexes/:indexUid/stats',
    actions: ['stats.get'],
    query: statsQuerySchema,
    handle: async ({ indexUid, query, request: { shape } }) =>
      readStats(await requireReader(services, indexUid), query, shape),
  }),
  route({
    method: 'GET',
    path: '/stats',
    actions: ['stats.get'],
    query: statsQuerySchema,
    handle: async ({ query, access, request: { shape } }) => {
      const { results } = await visibleIndexes(services, access, 0, Number.MAX_SAFE_INTEGER);
      const sizes = await services.indexes.sizes();
      return {
        databaseSize: shownSize(sizes.databaseSize, query),
        usedDatabaseSize: shownSize(sizes.usedDatabaseSize, query),
        lastUpdate:
          results
            .map(({ updatedAt }) => updatedAt)
            .sort()
            .at(-1) ?? null,
        indexes: Object.fromEntries(
          await readEach(
            services.indexes,
            results.map(({ uid }) => uid),
            (reader) => readStats(reader, query, shape),
          ),
        ),
      };
    },
  }),
];

async function readStats(reader: IndexReader, query: StatsQuery, shape: ApiShape): Promise<object> {
  const [stats, sizes] = await Promise.all([
    reader.stats(),
    query.showInternalDatabaseSizes === true ? reader.sizes() : {},
  ]);
  return shownStats(stats, sizes, query, shape);
}

function shownStats(
  stats: IndexStats,
  sizes: Readonly<Record<string, number>>,
  query: StatsQuery,
  shape: ApiShape,
): object {
  const shownSizes = Object.entries(sizes).map(([name, bytes]) => [name, shownSize(bytes, query)]);
  const distribution = Object.fromEntries(
    Object.entries(stats.fieldDistribution).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  return {
    numberOfDocuments: stats.numberOfDocuments,
    indexSize: shownSize(stats.indexSize, query),
    usedIndexSize: shownSize(stats.usedIndexSize, query),
    rawDocumentDbSize: shownSize(stats.rawDocumentDbSize, query),
    avgDocumentSize: shownSize(stats.avgDocumentSize, query),
    isIndexing: stats.isIndexing,
    ...(shownSizes.length === 0 ? {} : { internalDatabaseSizes: Object.fromEntries(shownSizes) }),
    numberOfEmbeddings: stats.numberOfEmbeddings,
    numberOfEmbeddedDocuments: stats.numberOfEmbeddedDocuments,
    ...(shape === 'current' ? { fieldDistribution: distribution } : {}),
    // The name of the earlier generation of the interface, with the same content.
    fieldsDistribution: distribution,
  };
}

function shownSize(bytes: number | undefined, query: StatsQuery): number | string | undefined {
  return query.sizeFormat === 'human' && bytes !== undefined ? formatByteSize(bytes) : bytes;
}
