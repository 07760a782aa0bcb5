import * as z from 'zod';
import { isIndexUid } from '../validation/index-uid.js';

const indexUid = z.string().refine((uid) => isIndexUid(uid.replace(/^\./, '')));
const anyObject = z.record(z.string(), z.unknown());
const ranges = z.array(z.tuple([z.number().int().min(0), z.number().int().min(0)]));

/**
 * What a waiting task must hold to be run: a queue that was loaded with less could not be opened
 * again. Fields beyond these are kept as they are.
 */
export const contentSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('documentAdditionOrUpdate'),
    indexUid,
    method: z.enum(['replace', 'update']),
    primaryKey: z.string().nullable(),
    payload: z.object({
      documents: z.number(),
      content: z.union([z.object({ file: z.string() }), z.object({ inline: z.string() })]),
    }),
    skipCreation: z.boolean(),
    mayCreateIndex: z.boolean(),
  }),
  z.object({
    type: z.literal('documentDeletion'),
    indexUid,
    selection: z.union([
      z.literal('all'),
      z.object({ ids: z.array(z.string()) }),
      z.object({ idsIn: z.object({ file: z.string() }), providedIds: z.number() }),
      z.object({ filter: z.unknown() }),
    ]),
  }),
  z
    .object({
      type: z.literal('settingsUpdate'),
      indexUid,
      settings: anyObject.optional(),
      settingsIn: z.object({ file: z.string() }).optional(),
      settingNames: z.array(z.string()).optional(),
      mayCreateIndex: z.boolean(),
    })
    // A file goes before settings that are named beside it.
    .refine(({ settings, settingsIn, settingNames }) =>
      settingsIn === undefined ? settings !== undefined : settingNames !== undefined,
    ),
  z.object({
    type: z.literal('indexCreation'),
    indexUid,
    primaryKey: z.string().nullable(),
  }),
  z.object({
    type: z.literal('indexUpdate'),
    indexUid,
    primaryKey: z.string().nullish(),
    newIndexUid: indexUid.optional(),
  }),
  z.object({ type: z.literal('indexDeletion'), indexUid }),
  z.object({
    type: z.literal('indexSwap'),
    swaps: z.array(z.object({ indexes: z.tuple([indexUid, indexUid]), rename: z.boolean() })),
  }),
  z.object({
    type: z.enum(['taskCancelation', 'taskDeletion']),
    tasks: ranges,
    originalFilter: z.string(),
  }),
  z.object({ type: z.enum(['dumpCreation', 'snapshotCreation']) }),
  z.object({
    type: z.literal('export'),
    url: z.string(),
    apiKey: z.string().nullable(),
    payloadSize: z.number().nullable(),
    indexes: z.record(z.string(), z.object({ overrideSettings: z.boolean() })),
  }),
  z.looseObject({
    type: z.enum(['documentEdition', 'indexCompaction', 'dsrUpdate', 'dsrClear']),
  }),
]);
