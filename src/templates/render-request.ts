import * as z from 'zod';
import { coded, positiveInteger } from '../validation/field-rules.js';

/** Where a template is taken from. */
export const TEMPLATE_KINDS = [
  'documentTemplate',
  'chatDocumentTemplate',
  'indexingFragment',
  'searchFragment',
  'inlineDocumentTemplate',
  'inlineFragment',
] as const;

/** Where what is rendered is taken from. */
export const INPUT_KINDS = ['indexDocument', 'inlineDocument', 'inlineSearch'] as const;

const templateSchema = z.strictObject({
  kind: z.enum(TEMPLATE_KINDS),
  indexUid: z.string().nullish(),
  embedder: z.string().nullish(),
  fragment: z.string().nullish(),
  inline: z.any().nullish(),
  documentTemplateMaxBytes: positiveInteger.nullish(),
});

const inputSchema = z.strictObject({
  kind: z.enum(INPUT_KINDS),
  indexUid: z.string().nullish(),
  id: z.string().nullish(),
  inline: z.any().nullish(),
});

/** Body of `POST /render-template`. */
export const renderRequestSchema = z
  .strictObject({
    template: coded('invalid_render_template', templateSchema),
    input: coded('invalid_render_input', inputSchema).nullish(),
  })
  .meta({ id: 'RenderTemplateRequest' });

/** A request to render a template. */
export type RenderRequest = z.output<typeof renderRequestSchema>;
/** The template of a request. */
export type TemplateRequest = RenderRequest['template'];
/** The input of a request. */
export type InputRequest = NonNullable<RenderRequest['input']>;
