import * as z from 'zod';
import { coded, withRules } from '../validation/field-rules.js';
import { indexUid } from '../validation/index-uid.js';

/** The attribute that identifies the documents of an index; null: guessed from the first one. */
export const primaryKeySchema = coded('invalid_index_primary_key', z.string());

/** Body of the creation of an index. */
export const creationSchema = z
  .strictObject({
    uid: withRules(indexUid('invalid_index_uid'), { missing: 'missing_index_uid' }),
    primaryKey: primaryKeySchema.nullish(),
  })
  .meta({ id: 'IndexCreation' });
