import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { coded, withRules } from '../validation/field-rules.js';
import { indexUidPattern } from '../validation/index-uid.js';
import { readUuid } from '../validation/uuid.js';
import { ACTIONS, OTHER_CHAT_ACTION } from './actions.js';
import type { NewKey } from './api-key.js';
import { readExpiryDate } from './expiry-date.js';

/** The texts of a key, which can be changed. */
const keyTexts = {
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

/** What is said of a key that is to be made. */
export const newKeySchema = z
  .strictObject({
    ...keyTexts,
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

/** What is changed of a key. */
export const keyChangeSchema = withRules(z.strictObject(keyTexts), {
  immutable: {
    uid: 'immutable_api_key_uid',
    actions: 'immutable_api_key_actions',
    indexes: 'immutable_api_key_indexes',
    expiresAt: 'immutable_api_key_expires_at',
    createdAt: 'immutable_api_key_created_at',
    updatedAt: 'immutable_api_key_updated_at',
  },
}).meta({ id: 'ApiKeyChange' });

function isAhead(text: string): boolean {
  const date = readExpiryDate(text);
  return date !== undefined && date.epochMs > Date.now();
}

/** A key as it is kept, from what is said of it. */
export function newKeyOf(body: z.output<typeof newKeySchema>): NewKey {
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
