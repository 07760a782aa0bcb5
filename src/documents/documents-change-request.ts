import * as z from 'zod';
import { primaryKeySchema } from '../indexes/index-creation.js';
import { filterSchema } from '../search/search-request.js';
import { coded, RefusedText, withRules } from '../validation/field-rules.js';

/** A text that the task of a write shows. */
export const customMetadata = coded('invalid_index_custom_metadata', z.string()).optional();

/** Query string of deletions of documents. */
export const deletionQuerySchema = z.strictObject({ customMetadata });

/** Query string of an addition or update of documents. */
export const additionQuerySchema = z.strictObject({
  primaryKey: primaryKeySchema.optional(),
  csvDelimiter: withRules(z.string(), {
    code: 'invalid_document_csv_delimiter',
    fromText: readDelimiter,
  }).optional(),
  customMetadata,
  skipCreation: withRules(z.boolean(), {
    code: 'invalid_skip_creation',
    fromText: readSkipCreation,
  }).optional(),
});

/** An addition or update of documents, apart from the documents. */
export type AdditionQuery = z.output<typeof additionQuerySchema>;

/** Body of a deletion by filter. */
export const deletionByFilterSchema = coded(
  'bad_request',
  z.strictObject({
    filter: withRules(
      filterSchema.refine((value) => value !== undefined),
      { code: 'invalid_document_filter', missing: 'missing_document_filter' },
    ),
  }),
);

/** The character between the values of a row of CSV; throws a `RefusedText`. */
export function readDelimiter(text: string): string {
  const characters = [...text];
  if (characters.length === 0) {
    throw new RefusedText('expected a string of one character, but found an empty string');
  }
  if (characters.length > 1) {
    const count = characters.length;
    throw new RefusedText(
      `expected a string of one character, but found the following string of ${count} characters: \`${text}\``,
    );
  }
  if (text.charCodeAt(0) < 128) return text;
  throw new RefusedText(`csv delimiter must be an ascii character. Found: \`${text}\``, {
    whole: true,
  });
}

function readSkipCreation(text: string): boolean {
  const lower = text.toLowerCase();
  if (lower === 'true' || lower === 'false') return lower === 'true';
  throw new RefusedText(`skipCreation must be either \`true\` or \`false\`. Found: \`${text}\``, {
    whole: true,
  });
}
