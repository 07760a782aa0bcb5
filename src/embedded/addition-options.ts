import * as z from 'zod';
import { customMetadata, readDelimiter } from '../documents/documents-change-request.js';
import type { PayloadFormat } from '../documents/payload-reader.js';
import { primaryKeySchema } from '../indexes/index-creation.js';
import { coded, textReadBy } from '../validation/field-rules.js';

/** One ASCII character between the values of a row. */
const delimiter = coded('invalid_document_csv_delimiter', textReadBy(readDelimiter));

const formatSchema = z.strictObject({
  format: z.enum(['json', 'ndjson', 'csv']),
  delimiter: delimiter.optional(),
});

/** How documents are added, apart from what is told of while they are read. */
export const additionOptionsSchema = z.strictObject({
  primaryKey: primaryKeySchema.optional(),
  skipCreation: coded('invalid_skip_creation', z.boolean()).default(false),
  customMetadata,
  format: formatSchema.optional(),
});

/** A format as payloads are read by it; values of CSV are parted by commas unless it says otherwise. */
export function payloadFormatOf(asked: z.output<typeof formatSchema>): PayloadFormat {
  const { format } = asked;
  return format === 'csv' ? { format, delimiter: asked.delimiter ?? ',' } : { format };
}
