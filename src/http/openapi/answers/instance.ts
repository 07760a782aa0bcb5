import * as z from 'zod';
import { ACTIONS, OTHER_CHAT_ACTION } from '../../../auth/actions.js';
import { SOURCES } from '../../../chats/chat-settings.js';
import { FEATURE_NAMES } from '../../../features/feature.js';
import { moment } from './basics.js';

const text = z.string();

/** An API key. */
export const apiKey = z
  .object({
    name: text.nullable(),
    description: text.nullable(),
    key: text,
    uid: text.meta({ format: 'uuid' }),
    actions: z.array(z.enum([...ACTIONS, OTHER_CHAT_ACTION])),
    indexes: z.array(text),
    expiresAt: moment.nullable(),
    createdAt: moment,
    updatedAt: moment,
  })
  .meta({ id: 'ApiKey' });

/** The keys of the earlier shape. */
export const earlierKeys = z.object({ private: text, public: text }).meta({ id: 'EarlierKeys' });

/** An address that hears of finished batches. */
export const webhook = z
  .object({
    uuid: text.meta({ format: 'uuid' }),
    isEditable: z.boolean(),
    url: text,
    headers: z.record(text, text),
  })
  .meta({ id: 'Webhook' });

/** A workspace of chats. */
export const chat = z.object({ uid: text }).meta({ id: 'Chat' });

/** The settings of a workspace; the key is masked. */
export const chatSettings = z
  .object({
    source: z.enum(SOURCES),
    orgId: text.nullable(),
    projectId: text.nullable(),
    apiVersion: text.nullable(),
    deploymentId: text.nullable(),
    baseUrl: text.nullable(),
    apiKey: text.nullable(),
    prompts: z.object({
      system: text,
      searchDescription: text,
      searchQParam: text,
      searchFilterParam: text,
      searchIndexUidParam: text,
    }),
  })
  .meta({ id: 'ChatSettings' });

/** A dynamic search rule. */
export const searchRule = z
  .object({
    uid: text,
    description: text.optional(),
    lastUpdatedAt: moment,
    precedence: z.number().meta({ type: 'integer', minimum: 0 }).optional(),
    active: z.boolean(),
    conditions: z.looseObject({}),
    actions: z.array(z.looseObject({})),
  })
  .meta({ id: 'SearchRule' });

/** Which experimental features are on. */
export const features = z
  .object(Object.fromEntries(FEATURE_NAMES.map((name) => [name, z.boolean()])))
  .meta({ id: 'Features' });

/** The servers that this one may ask. */
export const network = z
  .object({
    self: text.nullable(),
    remotes: z.record(
      text,
      z.object({
        url: text,
        searchApiKey: text.nullable(),
        writeApiKey: text.nullable(),
        status: z.enum(['available', 'unavailable']),
      }),
    ),
    shards: z.record(text, z.object({ remotes: z.array(text) })),
    leader: z.null(),
    version: text,
  })
  .meta({ id: 'Network' });

/** A template and what came of it. */
export const rendering = z
  .object({
    template: z.unknown().meta({ description: 'The template as it was read' }),
    rendered: z.unknown().meta({ description: 'What it makes of the input' }),
  })
  .meta({ id: 'Rendering' });

/** What exactly runs. */
export const version = z.object({ commitSha: text, commitDate: text, pkgVersion: text });

/** Whether the server runs; `mustRestart` comes with status 500. */
export const health = z.object({ status: z.enum(['available', 'mustRestart']) });
