import type { EmbedderSettings } from '../embedders/embedder.js';
import type { ApiError } from '../errors/api-error.js';
import { refusedTemplate } from './render-parameters.js';
import type { TemplateRequest } from './render-request.js';

/** A template as it was written, and after how many bytes its text is cut. */
export interface FoundTemplate {
  readonly template: unknown;
  readonly maxBytes?: number | undefined;
}

/** The settings of an index that hold templates. */
export interface TemplateSettings {
  readonly embedders?: Readonly<Record<string, EmbedderSettings>>;
  readonly chat?: {
    readonly documentTemplate?: string;
    readonly documentTemplateMaxBytes?: number;
  } | null;
}

/** The template of an index that a request names. */
export function storedTemplate(
  request: TemplateRequest,
  settings: TemplateSettings,
): FoundTemplate | ApiError {
  const { kind, indexUid, documentTemplateMaxBytes } = request;
  if (kind === 'chatDocumentTemplate') {
    const { documentTemplate: template, documentTemplateMaxBytes: own } = settings.chat ?? {};
    if (template === undefined)
      return refusedTemplate(`index \`${indexUid}\` has no chat template`);
    return { template, maxBytes: documentTemplateMaxBytes ?? own };
  }
  const name = request.embedder ?? '';
  const { embedders = {} } = settings;
  const embedder = Object.hasOwn(embedders, name) ? embedders[name] : undefined;
  if (embedder === undefined) {
    return refusedTemplate(`cannot find embedder \`${name}\` in index \`${indexUid}\``);
  }
  return kind === 'documentTemplate'
    ? documentTemplate(request, embedder)
    : storedFragment(request, embedder);
}

function documentTemplate(
  { embedder: name, indexUid, documentTemplateMaxBytes }: TemplateRequest,
  embedder: EmbedderSettings,
): FoundTemplate | ApiError {
  const { documentTemplate: template, documentTemplateMaxBytes: own } =
    embedder.indexingEmbedder ?? embedder;
  if (template === undefined) {
    return refusedTemplate(
      `embedder \`${name}\` in index \`${indexUid}\` does not use a document template.`,
    );
  }
  return { template, maxBytes: documentTemplateMaxBytes ?? own };
}

function storedFragment(
  { kind, embedder: name, indexUid, fragment }: TemplateRequest,
  embedder: EmbedderSettings,
): FoundTemplate | ApiError {
  const isIndexing = kind === 'indexingFragment';
  const half = (isIndexing ? embedder.indexingEmbedder : embedder.searchEmbedder) ?? embedder;
  const { indexingFragments, searchFragments } = half;
  if (indexingFragments === undefined && searchFragments === undefined) {
    return refusedTemplate(`embedder \`${name}\` in index \`${indexUid}\` does not use fragments.`);
  }
  const fragments = (isIndexing ? indexingFragments : searchFragments) ?? {};
  const found = Object.hasOwn(fragments, fragment ?? '') ? fragments[fragment ?? ''] : undefined;
  if (found !== undefined) return { template: found.value };
  const what = isIndexing ? 'indexing' : 'search';
  return refusedTemplate(
    `cannot find ${what} fragment \`${fragment}\` for embedder \`${name}\` in index \`${indexUid}\``,
  );
}
