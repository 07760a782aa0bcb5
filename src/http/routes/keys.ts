import * as z from 'zod';
import { FULL_ACCESS } from '../../auth/access.js';
import { invalidKey } from '../../auth/authorize.js';
import { keyChangeSchema, newKeySchema } from '../../auth/new-key.js';
import { coded, positiveInteger } from '../../validation/field-rules.js';
import { type Keys, missingMasterKey } from '../authenticate.js';
import { type AnyRoute, route } from '../route.js';

const listQuerySchema = z.strictObject({
  offset: coded('invalid_api_key_offset', positiveInteger).default(0),
  limit: coded('invalid_api_key_limit', positiveInteger).default(20),
});

/** API keys. In the earlier shape there are only the two derived ones, and nothing to change. */
export const keyRoutes = (keys: Keys | undefined): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/keys',
    actions: ['keys.get'],
    query: listQuerySchema,
    handle: ({ query: { offset, limit }, request, access }) => {
      const { apiKeys, earlier } = required(keys);
      if (request.shape === 'earlier') {
        // Derived keys are shown to the master key alone, not to API keys that may read keys.
        if (access !== FULL_ACCESS) throw invalidKey();
        return { private: earlier.private, public: earlier.public };
      }
      const { results, total } = apiKeys.list(offset, limit);
      return { results, offset, limit, total };
    },
  }),
  route({
    method: 'POST',
    path: '/keys',
    actions: ['keys.create'],
    shape: 'current',
    body: newKeySchema,
    handle: async ({ body, reply }) => {
      const key = await required(keys).apiKeys.create(body);
      reply.code(201);
      return key;
    },
  }),
  route({
    method: 'GET',
    path: '/keys/:uidOrKey',
    actions: ['keys.get'],
    shape: 'current',
    handle: ({ params: { uidOrKey = '' } }) => required(keys).apiKeys.get(uidOrKey),
  }),
  route({
    method: 'PATCH',
    path: '/keys/:uidOrKey',
    actions: ['keys.update'],
    shape: 'current',
    body: keyChangeSchema,
    bodyFirst: true,
    handle: ({ params: { uidOrKey = '' }, body }) => required(keys).apiKeys.update(uidOrKey, body),
  }),
  route({
    method: 'DELETE',
    path: '/keys/:uidOrKey',
    actions: ['keys.delete'],
    shape: 'current',
    handle: async ({ params: { uidOrKey = '' }, reply }) => {
      await required(keys).apiKeys.delete(uidOrKey);
      reply.code(204);
      return undefined;
    },
  }),
];

/** Requests without a master key are refused before they come here. */
function required(keys: Keys | undefined): Keys {
  if (keys === undefined) throw missingMasterKey();
  return keys;
}
