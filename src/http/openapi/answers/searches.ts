import * as z from 'zod';
import { count, errorSchema } from './basics.js';

/** A document as it is stored. */
export const document = z.looseObject({}).meta({ id: 'Document' });

const hit = z
  .looseObject({
    _geoDistance: count.optional(),
    _formatted: z.looseObject({}).optional(),
    _matchesPosition: z
      .record(
        z.string(),
        z.array(z.object({ start: count, length: count, indices: z.array(count).optional() })),
      )
      .optional(),
    _rankingScore: z.number().optional(),
    _rankingScoreDetails: z.looseObject({}).optional(),
    _federation: z
      .object({
        indexUid: z.string(),
        queriesPosition: count,
        weightedRankingScore: z.number().optional(),
        remote: z.string().optional(),
      })
      .optional(),
  })
  .meta({ id: 'Hit', description: 'A document that was found, and what the search adds to it' });

const facetCounts = z.record(z.string(), z.record(z.string(), count));
const facetStats = z.record(z.string(), z.object({ min: z.number(), max: z.number() }));
const performanceDetails = z.record(z.string(), z.string());
/** What servers of the network answered instead of their part, by name. */
export const remoteErrors = z.record(z.string(), errorSchema);

const metadata = z.object({
  query: z.string().optional(),
  queryUid: z.string(),
  indexUid: z.string(),
  primaryKey: z.string().optional(),
  remote: z.string().optional(),
});

/** Either group of these stands in an answer, the other is absent. */
const pagination = {
  hitsPerPage: count.optional(),
  page: count.optional(),
  totalPages: count.optional(),
  totalHits: count.optional(),
  limit: count.optional(),
  offset: count.optional(),
  estimatedTotalHits: count.optional(),
};

const searchFields = {
  hits: z.array(hit),
  query: z.string(),
  queryVector: z.array(z.number()).optional(),
  processingTimeMs: count,
  ...pagination,
  facetDistribution: facetCounts.optional(),
  facetStats: facetStats.optional(),
  requestUid: z.string().optional(),
  metadata: metadata.optional(),
  performanceDetails: performanceDetails.optional(),
  remoteErrors: remoteErrors.optional(),
  semanticHitCount: count.optional(),
};

/** What a search found. */
export const searchAnswer = z.object(searchFields).meta({ id: 'SearchAnswer' });

const federatedAnswer = z
  .object({
    hits: z.array(hit),
    queryVectors: z.record(z.string(), z.array(z.number())).optional(),
    processingTimeMs: count,
    ...pagination,
    facetDistribution: facetCounts.optional(),
    facetStats: facetStats.optional(),
    facetsByIndex: z
      .record(z.string(), z.object({ distribution: facetCounts, stats: facetStats }))
      .optional(),
    requestUid: z.string().optional(),
    metadata: z.array(metadata).optional(),
    remoteErrors: remoteErrors.optional(),
    semanticHitCount: count.optional(),
    performanceDetails: performanceDetails.optional(),
  })
  .meta({ id: 'FederatedAnswer', description: 'One list of hits of all queries' });

const severalAnswers = z
  .object({ results: z.array(z.object({ indexUid: z.string(), ...searchFields })) })
  .meta({ id: 'MultiSearchAnswer', description: 'One answer for each query' });

/** What several searches found, each by itself or together. */
export const multiSearchAnswer = z.union([severalAnswers, federatedAnswer]);

/** Values of a facet. */
export const facetSearchAnswer = z
  .object({
    facetHits: z.array(z.object({ value: z.string(), count })),
    facetQuery: z.string().nullable(),
    processingTimeMs: count,
    remoteErrors: remoteErrors.optional(),
  })
  .meta({ id: 'FacetSearchAnswer' });

/** Documents that are similar to one. */
export const similarAnswer = z
  .object({
    hits: z.array(hit),
    id: z.string(),
    processingTimeMs: count,
    limit: count,
    offset: count,
    estimatedTotalHits: count,
    performanceDetails: performanceDetails.optional(),
  })
  .meta({ id: 'SimilarAnswer' });
