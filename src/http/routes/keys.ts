import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { FULL_ACCESS } from '../../auth/access.js';
import { ACTIONS, OTHER_CHAT_ACTION } from '../../auth/actions.js';
import { invalidKey } from '../../auth/authorize.js';
import { readExpiryDate } from '../../auth/expiry-date.js';
import { coded, positiveInteger, withRules } from '../../validation/field-rules.js';
import { indexUidPattern } from '../../validation/index-uid.js';
import { readUuid } from '../../validation/uuid.js';
import { type Keys, missingMasterKey } from '../authenticate.js';
import { type AnyRoute, route } from '../route.js';

const listQuerySchema = z.strictObject({
  offset: coded('invalid_api_key_offset', positiveInteger).default(0),
  limit: coded('invalid_api_key_limit', positiveInteger).default(20),
});

const texts = {
  description: coded('invalid_api_key_description', z.string()).nullish(),
  name: coded('invalid_api_key_name', z.string()).nullish(),
};

const uid = z.string().refine((text) => 'uuid' in readUuid(text), {
  error: ({ input }) => {
    const read = readUuid(String(input));
    return 'problem' in read ? read.problem : '';
  },
});

const expiresAt = z.string().refine(isAhead, {
  error: ({ input }) =>
    `\`${String(input)}\` is not a valid date. It should follow the RFC 3339 format to represents a date or datetime in the future or specified as a null value. e.g. 'YYYY-MM-DD' or 'YYYY-MM-DD HH:MM:SS'.\n`,
});

const creationSchema = z
  .strictObject({
    ...texts,
    uid: coded('invalid_api_key_uid', uid).optional(),
    actions: withRules(z.array(z.union([z.enum(ACTIONS), z.literal(OTHER_CHAT_ACTION)])), {
      code: 'invalid_api_key_actions',
      missing: 'missing_api_key_actions',
    }),
    indexes: withRules(z.array(indexUidPattern('invalid_api_key_indexes')), {
      code: 'invalid_api_key_indexes',
      missing: 'missing_api_key_indexes',
    }),
    expiresAt: withRules(expiresAt.nullable(), {
      code: 'invalid_api_key_expires_at',
      missing: 'missing_api_key_expires_at',
    }),
  })
  .meta({ id: 'ApiKeyCreation' });

const changeSchema = withRules(z.strictObject(texts), {
  immutable: {
    uid: 'immutable_api_key_uid',
    actions: 'immutable_api_key_actions',
    indexes: 'immutable_api_key_indexes',
    expiresAt: 'immutable_api_key_expires_at',
    createdAt: 'immutable_api_key_created_at',
    updatedAt: 'immutable_api_key_updated_at',
  },
}).meta({ id: 'ApiKeyChange' });

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
    body: creationSchema,
    handle: async ({ body, reply }) => {
      const key = await required(keys).apiKeys.create(newKey(body));
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
    body: changeSchema,
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

function isAhead(text: string): boolean {
  const date = readExpiryDate(text);
  return date !== undefined && date.epochMs > Date.now();
}

function newKey(body: z.output<typeof creationSchema>) {
  const given = body.uid === undefined ? undefined : readUuid(body.uid);
  return {
    uid: given !== undefined && 'uuid' in given ? given.uuid : randomUUID(),
    name: body.name ?? null,
    description: body.description ?? null,
    actions: body.actions,
    indexes: body.indexes,
    expiresAt: body.expiresAt === null ? null : (readExpiryDate(body.expiresAt)?.text ?? null),
  };
}
