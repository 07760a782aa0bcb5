import * as z from 'zod';
import { count, moment } from './basics.js';

/** An index. */
export const index = z
  .object({
    uid: z.string(),
    createdAt: moment,
    updatedAt: moment,
    primaryKey: z.string().nullable(),
  })
  .meta({ id: 'Index' });

const size = z.union([count, z.string()]).meta({ description: 'Bytes, or text on request' });

const distribution = z.record(z.string(), count);

/** Counts and sizes of an index. */
export const indexStats = z
  .object({
    numberOfDocuments: count,
    indexSize: size,
    usedIndexSize: size,
    rawDocumentDbSize: size,
    avgDocumentSize: size,
    isIndexing: z.boolean(),
    internalDatabaseSizes: z.record(z.string(), size).optional(),
    numberOfEmbeddings: count,
    numberOfEmbeddedDocuments: count,
    fieldDistribution: distribution.optional(),
    fieldsDistribution: distribution,
  })
  .meta({ id: 'IndexStats' });

/** Counts and sizes of everything. */
export const stats = z
  .object({
    databaseSize: size,
    usedDatabaseSize: size,
    lastUpdate: moment.nullable(),
    indexes: z
      .record(z.string(), indexStats)
      .meta({ description: 'Counts and sizes of each index, by uid' }),
  })
  .meta({ id: 'Stats' });

const enabled = z.object({ enabled: z.boolean() });

/** A field, with what the settings of its index make of it. */
export const field = z
  .object({
    name: z.string().meta({ description: 'The name of the field, with dots inside of objects' }),
    displayed: enabled,
    searchable: enabled,
    sortable: enabled,
    distinct: enabled.meta({ description: 'Whether each of its values is found once' }),
    rankingRule: z.object({ enabled: z.boolean(), order: z.string().optional() }),
    filterable: z.object({
      enabled: z.boolean(),
      sortBy: z.string(),
      facetSearch: z.boolean(),
      equality: z.boolean(),
      comparison: z.boolean(),
    }),
    localized: z.object({ locales: z.array(z.string()) }),
  })
  .meta({ id: 'Field' });
