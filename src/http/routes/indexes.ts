import * as z from 'zod';
import { type Access, seesIndex } from '../../auth/access.js';
import { invalidKey } from '../../auth/authorize.js';
import { ApiError } from '../../errors/api-error.js';
import { creationSchema, primaryKeySchema } from '../../indexes/index-creation.js';
import type { IndexInfo } from '../../indexes/index-registry.js';
import { coded, positiveInteger, withRules } from '../../validation/field-rules.js';
import { invalidIndexUid, isIndexUid } from '../../validation/index-uid.js';
import { indexNotFound } from '../require-index.js';
import { type AnyRoute, route } from '../route.js';
import type { Services } from '../services.js';

const listQuerySchema = z.strictObject({
  offset: coded('invalid_index_offset', positiveInteger).default(0),
  limit: coded('invalid_index_limit', positiveInteger).default(20),
});

const updateSchema = withRules(
  z.strictObject({
    primaryKey: primaryKeySchema.nullish(),
    uid: coded('invalid_index_uid', z.string()).nullish(),
  }),
  {
    immutable: {
      createdAt: 'immutable_index_created_at',
      updatedAt: 'immutable_index_updated_at',
    },
  },
).meta({ id: 'IndexUpdate' });

/** Indexes as things with a name and a primary key. */
export const indexRoutes = (services: Services): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/indexes',
    actions: ['indexes.get'],
    query: listQuerySchema,
    handle: async ({ query: { offset, limit }, access }) => {
      const { results, total } = await visibleIndexes(services, access, offset, limit);
      return { results: results.map(shownIndex), offset, limit, total };
    },
  }),
  route({
    method: 'POST',
    path: '/indexes',
    actions: ['indexes.create'],
    body: creationSchema,
    handle: async ({ body, access, reply }) => {
      if (!seesIndex(access, body.uid)) throw invalidKey();
      reply.code(202);
      return services.tasks.enqueue({
        type: 'indexCreation',
        indexUid: body.uid,
        primaryKey: body.primaryKey ?? null,
      });
    },
  }),
  route({
    method: 'GET',
    path: '/indexes/:indexUid',
    actions: ['indexes.get'],
    handle: async ({ indexUid: uid }) => {
      const index = await services.indexes.get(uid);
      if (index === undefined) throw indexNotFound(uid);
      return shownIndex(index);
    },
  }),
  route({
    method: 'PATCH',
    path: '/indexes/:indexUid',
    actions: ['indexes.update'],
    body: updateSchema,
    bodyFirst: true,
    handle: async ({ indexUid: uid, body, access, reply }) => {
      const { uid: newUid } = body;
      if (newUid != null && !isIndexUid(newUid)) {
        throw new ApiError('invalid_index_uid', invalidIndexUid(newUid));
      }
      if (newUid != null && !seesIndex(access, newUid)) throw invalidKey();
      reply.code(202);
      return services.tasks.enqueue({
        type: 'indexUpdate',
        indexUid: uid,
        primaryKey: body.primaryKey ?? null,
        ...(newUid == null ? {} : { newIndexUid: newUid }),
      });
    },
  }),
  route({
    method: 'DELETE',
    path: '/indexes/:indexUid',
    actions: ['indexes.delete'],
    handle: ({ indexUid: uid, reply }) => {
      reply.code(202);
      return services.tasks.enqueue({ type: 'indexDeletion', indexUid: uid });
    },
  }),
  route({
    method: 'POST',
    path: '/indexes/:indexUid/compact',
    actions: ['indexes.compact'],
    handle: ({ indexUid: uid, reply }) => {
      reply.code(202);
      return services.tasks.enqueue({ type: 'indexCompaction', indexUid: uid });
    },
  }),
];

/** A page of the indexes that a sender may see, and how many those are. */
export async function visibleIndexes(
  services: Services,
  access: Access,
  offset: number,
  limit: number,
): Promise<{ results: IndexInfo[]; total: number }> {
  if (access.visibleIndexes === undefined) return services.indexes.list(offset, limit);
  const all = await services.indexes.list(0, Number.MAX_SAFE_INTEGER);
  const visible = all.results.filter(({ uid }) => seesIndex(access, uid));
  return { results: visible.slice(offset, offset + limit), total: visible.length };
}

function shownIndex({ uid, createdAt, updatedAt, primaryKey: key }: IndexInfo): IndexInfo {
  return { uid, createdAt, updatedAt, primaryKey: key };
}
