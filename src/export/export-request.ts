import * as z from 'zod';
import { byteSize } from '../config/readers.js';
import type { ExportDraft, ExportRule } from '../tasks/task-draft.js';
import { coded, positiveInteger, withRules } from '../validation/field-rules.js';
import { isIndexUidPattern } from '../validation/index-uid.js';

/** Bytes as a number, or as text with a unit. */
const payloadSize = withRules(
  z.union([
    positiveInteger,
    z.string().refine((text) => sizeOf(text) !== undefined, {
      error: ({ input }) => `\`${String(input)}\` is not a size such as \`24MiB\``,
    }),
  ]),
  { code: 'invalid_export_payload_size', expected: ['positiveInteger', 'string'] },
);

const ruleSchema = z.strictObject({
  filter: coded('invalid_export_index_filter', z.unknown()).default(null),
  overrideSettings: coded('invalid_export_index_override_settings', z.boolean()).default(false),
});

/** The body of an export: where to, and which indexes. */
export const exportSchema = z
  .strictObject({
    url: coded('invalid_export_url', z.string()).default(''),
    apiKey: withRules(z.string().nullable(), {
      code: 'invalid_export_api_key',
      expected: ['string'],
    }).default(null),
    payloadSize: withRules(payloadSize.nullable(), {
      code: 'invalid_export_payload_size',
      expected: ['positiveInteger', 'string'],
    }).default(null),
    indexes: z
      .record(z.string(), ruleSchema)
      .refine((indexes) => firstBadPattern(indexes) === undefined, {
        error: ({ input }) => badPattern(firstBadPattern(input as object) ?? ''),
      })
      .default({ '*': { filter: null, overrideSettings: false } }),
  })
  .meta({ id: 'Export' });

/** The task that an export is enqueued as. */
export function exportDraft(
  body: z.output<typeof exportSchema>,
  shown: (bytes: number) => string,
): ExportDraft {
  const { url, apiKey, indexes } = body;
  const bytes = typeof body.payloadSize === 'string' ? sizeOf(body.payloadSize) : body.payloadSize;
  return {
    type: 'export',
    url,
    apiKey,
    payloadSize: bytes ?? null,
    shownPayloadSize: bytes == null ? null : shown(bytes),
    indexes: indexes as Record<string, ExportRule>,
  };
}

function sizeOf(text: string): number | undefined {
  try {
    return byteSize(text);
  } catch {
    return undefined;
  }
}

function firstBadPattern(indexes: object): string | undefined {
  return Object.keys(indexes).find((pattern) => !isIndexUidPattern(pattern));
}

function badPattern(pattern: string): string {
  return `\`${pattern}\` is not a valid index uid pattern. Index uid patterns can be an integer or a string containing only alphanumeric characters, hyphens (-), underscores (_), and optionally end with a star (*).`;
}
