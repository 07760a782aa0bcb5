import { EmbeddingError } from '../embedders/embedding-error.js';
import { usesFragments } from '../embedders/make-embedder.js';
import { RestFormat } from '../embedders/rest-format.js';
import { ApiError } from '../errors/api-error.js';
import { type Feature, featureNotEnabled } from '../features/feature.js';
import { templateProblem } from '../native/template.js';
import { urlProblem } from '../validation/absolute-url.js';
import { EMBEDDER_SOURCES, type Embedder, embedderSchema } from './embedder-schema.js';

type Source = (typeof EMBEDDER_SOURCES)[number];
type Field = keyof Embedder;

const FIELDS = Object.keys(embedderSchema.shape) as readonly Field[];
const EVERYWHERE: readonly Field[] = ['source', 'distribution', 'binaryQuantized'];
const TEMPLATE: readonly Field[] = ['documentTemplate', 'documentTemplateMaxBytes'];

/** What each source takes beyond the fields that all take, and what it cannot do without. */
const SOURCES: Record<Source, { takes: readonly Field[]; needs: readonly Field[] }> = {
  openAi: { takes: ['model', 'apiKey', 'dimensions', ...TEMPLATE, 'url'], needs: [] },
  huggingFace: { takes: ['model', 'revision', 'pooling', ...TEMPLATE], needs: [] },
  ollama: { takes: ['model', 'url', 'apiKey', 'dimensions', ...TEMPLATE], needs: ['model'] },
  userProvided: { takes: ['dimensions'], needs: ['dimensions'] },
  rest: {
    takes: [
      'url',
      'request',
      'response',
      'apiKey',
      'dimensions',
      ...TEMPLATE,
      'headers',
      'indexingFragments',
      'searchFragments',
    ],
    needs: ['url', 'request', 'response'],
  },
  composite: {
    takes: ['searchEmbedder', 'indexingEmbedder'],
    needs: ['searchEmbedder', 'indexingEmbedder'],
  },
};

/** Models of OpenAI with their dimensions, and whether fewer may be asked for. */
const OPEN_AI_MODELS: Readonly<Record<string, { dimensions: number; adjustable: boolean }>> = {
  'text-embedding-ada-002': { dimensions: 1536, adjustable: false },
  'text-embedding-3-small': { dimensions: 1536, adjustable: true },
  'text-embedding-3-large': { dimensions: 3072, adjustable: true },
};
const DEFAULT_OPEN_AI_MODEL = 'text-embedding-3-small';
const MAX_EMBEDDERS = 256;

/** Why a change of embedders is refused although each value is right by itself. */
export function embeddersProblem(
  embedders: Readonly<Record<string, Embedder | null>>,
  isOn: (feature: Feature) => boolean,
): ApiError | undefined {
  const count = Object.keys(embedders).length;
  if (count > MAX_EMBEDDERS) {
    return refused(
      `Too many embedders in the configuration. Found ${count}, but limited to ${MAX_EMBEDDERS}.`,
    );
  }
  for (const [name, embedder] of Object.entries(embedders)) {
    const problem =
      embedder === null
        ? undefined
        : (gated(embedder, isOn) ?? embedderProblem(`.embedders.${name}`, embedder));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function gated(embedder: Embedder, isOn: (feature: Feature) => boolean): ApiError | undefined {
  if (embedder.source === 'composite' && !isOn('compositeEmbedders')) {
    return featureNotEnabled('compositeEmbedders', 'using `"composite"` as source');
  }
  for (const field of ['indexingFragments', 'searchFragments'] as const) {
    if (embedder[field] == null || isOn('multimodal')) continue;
    return featureNotEnabled('multimodal', `setting \`${field}\``);
  }
  return undefined;
}

function embedderProblem(place: string, embedder: Embedder): ApiError | undefined {
  return (
    zeroProblem(place, embedder) ??
    addressProblem(place, embedder) ??
    documentTemplateProblem(place, embedder) ??
    // Without a source the fields are checked against the stored one, when the task runs.
    (embedder.source == null ? undefined : sourceProblem(place, embedder, embedder.source))
  );
}

function zeroProblem(place: string, embedder: Embedder): ApiError | undefined {
  const zero = (['dimensions', 'documentTemplateMaxBytes'] as const).find(
    (field) => embedder[field] === 0,
  );
  return zero === undefined
    ? undefined
    : refused(`\`${place}.${zero}\`: \`${zero}\` cannot be zero`);
}

function addressProblem(place: string, { url }: Embedder): ApiError | undefined {
  const reason = url == null ? undefined : urlProblem(url);
  return reason === undefined
    ? undefined
    : refused(`\`${place}.url\`: could not parse \`${url}\`: ${reason}`);
}

function documentTemplateProblem(place: string, embedder: Embedder): ApiError | undefined {
  const { documentTemplate } = embedder;
  if (documentTemplate == null) return undefined;
  const problem = templateProblem(documentTemplate);
  return problem === undefined
    ? undefined
    : refused(`\`${place}.documentTemplate\`: Invalid template: user error: ${problem}.`);
}

/** Why requests and responses of a service cannot be what these settings say. */
function restProblem(embedder: Embedder): ApiError | undefined {
  const { request, response, indexingFragments } = embedder;
  try {
    new RestFormat(request, response, usesFragments(indexingFragments ?? undefined));
    return undefined;
  } catch (error) {
    if (!(error instanceof EmbeddingError)) throw error;
    const message = `Error while generating embeddings: ${error.message}`;
    return new ApiError('vector_embedding_error', message);
  }
}

function sourceProblem(place: string, embedder: Embedder, source: Source): ApiError | undefined {
  const { needs } = SOURCES[source];
  for (const field of FIELDS) {
    const isSet = embedder[field] != null;
    if (!isSet && needs.includes(field)) {
      return refused(
        `\`${place}\`: Missing field \`${field}\` (note: this field is mandatory for source \`${source}\`)`,
      );
    }
    if (isSet && !isAvailable(field, source)) return unavailable(place, field, source);
  }
  if (source === 'rest') return restProblem(embedder);
  if (source === 'composite') return partsProblem(place, embedder);
  return source === 'openAi' ? openAiProblem(place, embedder) : undefined;
}

/** What is wrong with the two embedders of a composite one. */
function partsProblem(
  place: string,
  { searchEmbedder, indexingEmbedder }: Embedder,
): ApiError | undefined {
  const search = `${place}.searchEmbedder`;
  // What is searched for is a text already: no template makes it.
  const template = TEMPLATE.find((field) => searchEmbedder?.[field as 'documentTemplate'] != null);
  return (
    partProblem(search, searchEmbedder) ??
    (template === undefined
      ? undefined
      : unavailable(search, template, searchEmbedder?.source ?? 'openAi', TEMPLATE)) ??
    partProblem(`${place}.indexingEmbedder`, indexingEmbedder)
  );
}

function partProblem(
  place: string,
  part: Embedder['searchEmbedder'] | undefined,
): ApiError | undefined {
  if (part == null) return undefined;
  if (part.source == null) {
    return refused(
      `\`${place}\`: Missing field \`source\`.\n  - note: this field is mandatory for nested embedders`,
    );
  }
  if (part.source === 'composite' || part.source === 'userProvided') {
    return refused(
      `\`${place}.source\`: Source \`${part.source}\` is not available in a nested embedder`,
    );
  }
  return embedderProblem(place, part);
}

function isAvailable(field: Field, source: Source): boolean {
  return EVERYWHERE.includes(field) || SOURCES[source].takes.includes(field);
}

/** The refusal of a field that a source does not take, here without some that it takes elsewhere. */
function unavailable(
  place: string,
  field: Field,
  source: Source,
  without: readonly Field[] = [],
): ApiError {
  const sources = EMBEDDER_SOURCES.filter((one) => isAvailable(field, one));
  const fields = SHOWN_ORDER.filter((one) => isAvailable(one, source) && !without.includes(one));
  return refused(
    `\`${place}\`: Field \`${field}\` unavailable for source \`${source}\`.\n` +
      `  - note: \`${field}\` is available for sources: ${quoted(sources)}\n` +
      `  - note: available fields for source \`${source}\`: ${quoted(fields)}`,
  );
}

/** Fields as the note lists them: what all sources take comes at the end. */
const SHOWN_ORDER: readonly Field[] = [
  ...FIELDS.filter((field) => field !== 'distribution' && field !== 'binaryQuantized'),
  'distribution',
  'binaryQuantized',
];

function openAiProblem(place: string, { model, dimensions }: Embedder): ApiError | undefined {
  const name = model ?? DEFAULT_OPEN_AI_MODEL;
  const known = OPEN_AI_MODELS[name];
  if (known === undefined) {
    const list = Object.keys(OPEN_AI_MODELS).map((one) => JSON.stringify(one));
    return refused(
      `\`${place}.model\`: Invalid model \`${name}\` for OpenAI. Supported models: [${list.join(', ')}]`,
    );
  }
  if (dimensions == null || dimensions === known.dimensions) return undefined;
  if (!known.adjustable) {
    return refused(
      `\`${place}.dimensions\`: Model \`${name}\` does not support overriding its native dimensions of ${known.dimensions}. Found ${dimensions}`,
    );
  }
  if (dimensions < known.dimensions) return undefined;
  return refused(
    `\`${place}.dimensions\`: Model \`${name}\` does not support overriding its dimensions to a value higher than ${known.dimensions}. Found ${dimensions}`,
  );
}

function refused(message: string): ApiError {
  return new ApiError('invalid_settings_embedders', message);
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ');
}
