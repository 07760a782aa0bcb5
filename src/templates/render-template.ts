import { ApiError } from '../errors/api-error.js';
import { type Feature, featureNotEnabled } from '../features/feature.js';
import { type Rendering, renderTemplate, templateProblem } from '../native/template.js';
import {
  inputParameterProblem,
  refusedInput,
  refusedTemplate,
  templateParameterProblem,
} from './render-parameters.js';
import type { InputRequest, RenderRequest, TemplateRequest } from './render-request.js';
import { type FoundTemplate, storedTemplate, type TemplateSettings } from './stored-template.js';
import { templateFields } from './template-fields.js';

/** What rendering reads of an index. */
export interface RenderedIndex {
  settingsWithoutWords(): Promise<string>;
  stats(): Promise<{ readonly fieldDistribution: Readonly<Record<string, number>> }>;
  document(id: string): Promise<Buffer | undefined>;
}

/** What rendering needs of the product. */
export interface RenderContext {
  /** The index of a uid; throws when there is none, or when the sender may not see it. */
  open(uid: string): Promise<RenderedIndex>;
  isOn(feature: Feature): boolean;
}

/** A template as it was written, and its text, or its JSON for a fragment. */
export interface Rendered {
  readonly template: unknown;
  readonly rendered: unknown;
}

type Settings = TemplateSettings & { readonly searchableAttributes?: readonly string[] };

/** Renders a template of an index or of the request. */
export async function renderRequest(
  { template, input }: RenderRequest,
  context: RenderContext,
): Promise<Rendered> {
  const problem =
    gated(template, input, context) ??
    templateParameterProblem(template) ??
    (input == null ? undefined : inputParameterProblem(input));
  if (problem !== undefined) throw problem;
  const found = await fetchTemplate(template, context);
  const unreadable = templateProblem(found.template);
  if (unreadable !== undefined) {
    const message = `error while rendering template: ${unreadable}`;
    throw new ApiError('template_parsing_error', message);
  }
  if (input == null) return { template: found.template, rendered: null };
  const rendering = await fetchInput(template, input, context);
  const outcome = await renderTemplate({ ...rendering, ...found });
  if ('ok' in outcome) return { template: found.template, rendered: outcome.ok };
  const message = `error while rendering template: ${outcome.error.message}`;
  throw new ApiError('template_rendering_error', message);
}

function gated(
  { kind }: TemplateRequest,
  input: InputRequest | null | undefined,
  { isOn }: RenderContext,
): ApiError | undefined {
  if (kind === 'chatDocumentTemplate' && !isOn('chatCompletions')) {
    return featureNotEnabled('chatCompletions', 'rendering a chat document template');
  }
  if (isOn('multimodal')) return undefined;
  if (kind === 'indexingFragment' || kind === 'searchFragment') {
    return featureNotEnabled('multimodal', 'accessing fragments');
  }
  if (kind === 'inlineFragment') {
    return featureNotEnabled('multimodal', 'rendering an inline fragment');
  }
  return input?.kind === 'inlineSearch'
    ? featureNotEnabled('multimodal', 'rendering search')
    : undefined;
}

async function fetchTemplate(
  request: TemplateRequest,
  context: RenderContext,
): Promise<FoundTemplate> {
  const { kind, inline, indexUid, documentTemplateMaxBytes } = request;
  if (kind === 'inlineFragment') return { template: inline };
  if (kind === 'inlineDocumentTemplate') {
    if (typeof inline !== 'string') {
      throw refusedTemplate('inline document templates must be strings');
    }
    return { template: inline, maxBytes: documentTemplateMaxBytes ?? undefined };
  }
  const index = await openFor('template', indexUid ?? '', context);
  const found = storedTemplate(request, JSON.parse(await index.settingsWithoutWords()) as Settings);
  if (found instanceof ApiError) throw found;
  return found;
}

async function fetchInput(
  template: TemplateRequest,
  input: InputRequest,
  context: RenderContext,
): Promise<Omit<Rendering, 'template'>> {
  if (input.kind === 'inlineSearch') return { query: searchOf(template, input.inline) };
  if (template.kind === 'searchFragment') {
    throw new ApiError(
      'invalid_render_input',
      'error while rendering template: cannot render a search fragment with a document',
    );
  }
  const document =
    input.kind === 'inlineDocument' ? documentOf(input.inline) : await indexed(input, context);
  const uid = input.indexUid ?? template.indexUid;
  const [fields, searchable] = uid == null ? [[], ['*']] : await fieldsOf(uid, context);
  return { document, fields: templateFields(document, fields, searchable) };
}

function searchOf({ kind }: TemplateRequest, inline: unknown): object {
  if (kind !== 'searchFragment' && kind !== 'inlineFragment') {
    throw new ApiError(
      'invalid_render_input',
      'error while rendering template: cannot render a document template with a search query',
    );
  }
  const note =
    '\n  - Note: the inline search query must be a JSON map containing `q` and/or `media`';
  if (!isMap(inline)) {
    throw refusedInput(
      `parsing inline search: expected a JSON map, found ${kindOf(inline)}${note}`,
    );
  }
  const unknown = Object.keys(inline).find((name) => name !== 'q' && name !== 'media');
  if (unknown !== undefined) {
    throw refusedInput(
      `parsing inline search: unknown field \`${unknown}\`, expected \`q\` or \`media\`${note}`,
    );
  }
  return inline;
}

function documentOf(inline: unknown): object {
  if (isMap(inline)) return inline;
  throw refusedInput(
    `parsing inline document: expected a JSON map, found ${kindOf(inline)}\n  - Note: the inline document must be a JSON map`,
  );
}

async function indexed({ indexUid, id }: InputRequest, context: RenderContext): Promise<object> {
  const index = await openFor('input', indexUid ?? '', context);
  const bytes = await index.document(id ?? '');
  if (bytes !== undefined) return JSON.parse(bytes.toString('utf8')) as object;
  throw new ApiError(
    'render_document_not_found',
    `error while fetching input: document \`${id}\` not found in \`${indexUid}\``,
  );
}

async function fieldsOf(
  uid: string,
  context: RenderContext,
): Promise<[fields: readonly string[], searchable: readonly string[]]> {
  const index = await openFor('template', uid, context);
  const [settings, { fieldDistribution }] = await Promise.all([
    index.settingsWithoutWords(),
    index.stats(),
  ]);
  const { searchableAttributes = ['*'] } = JSON.parse(settings) as Settings;
  return [Object.keys(fieldDistribution), searchableAttributes];
}

async function openFor(
  what: 'template' | 'input',
  uid: string,
  context: RenderContext,
): Promise<RenderedIndex> {
  try {
    return await context.open(uid);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'index_not_found') throw error;
    const message = `error while fetching ${what}: cannot open index \`${uid}\`: ${error.message}`;
    throw new ApiError('index_not_found', message);
  }
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
