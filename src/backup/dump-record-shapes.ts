import * as z from 'zod';
import { ACTIONS, OTHER_CHAT_ACTION } from '../auth/actions.js';

const moment = z.string().refine((text) => !Number.isNaN(Date.parse(text)));

/** A key as it is stored. */
export const keySchema = z.object({
  uid: z.uuid(),
  name: z.string().nullable().default(null),
  description: z.string().nullable().default(null),
  actions: z.array(z.enum([...ACTIONS, OTHER_CHAT_ACTION])),
  indexes: z.array(z.string()),
  expiresAt: moment.nullable().default(null),
  createdAt: moment,
  updatedAt: moment,
});

/** Which features are on; those that this version does not know are left alone. */
export const featuresSchema = z.record(z.string(), z.boolean());

/** Webhooks by uuid. */
export const webhooksSchema = z.record(
  z.uuid(),
  z.object({
    url: z.string().refine((text) => URL.canParse(text)),
    headers: z.record(z.string(), z.string()).default({}),
  }),
);

const remoteSchema = z.object({
  url: z.string().refine((text) => URL.canParse(text)),
  searchApiKey: z.string().nullable().default(null),
  writeApiKey: z.string().nullable().default(null),
});

/** The network; a leader, which another edition may have, is left behind. */
export const networkSchema = z.object({
  self: z.string().nullable().default(null),
  remotes: z.record(z.string(), remoteSchema).default({}),
  shards: z.record(z.string(), z.object({ remotes: z.array(z.string()) })).default({}),
  leader: z.unknown().transform(() => null),
  version: z.uuid().default('00000000-0000-0000-0000-000000000000'),
});
