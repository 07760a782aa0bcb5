import type { Embedder, EmbedderSettings, EmbedOptions, Purpose } from './embedder.js';
import { EmbeddingError } from './embedding-error.js';
import type { Fetch } from './embedding-request.js';
import { HttpEmbedder } from './http-embedder.js';
import { LocalEmbedder } from './local-embedder.js';
import type { LocalModels } from './local-models.js';
import { RestFormat } from './rest-format.js';

/** What embedders use that their settings do not say. */
export interface EmbedderDefaults {
  readonly openAiApiKey: string | undefined;
  readonly ollamaUrl: string | undefined;
  readonly fetch: Fetch;
  readonly models: LocalModels;
}

/** Dimensions of OpenAI's models when no others are asked for. */
const OPEN_AI_DIMENSIONS: Readonly<Record<string, number>> = {
  'text-embedding-ada-002': 1536,
  'text-embedding-3-small': 1536,
  'text-embedding-3-large': 3072,
};
const OPEN_AI_MODEL = 'text-embedding-3-small';
const OPEN_AI_URL = 'https://api.openai.com/v1/embeddings';
const OLLAMA_URL = 'http://localhost:11434/api/embeddings';

/** The embedder that settings describe, for documents or for queries. */
export function makeEmbedder(
  settings: EmbedderSettings,
  purpose: Purpose,
  defaults: EmbedderDefaults,
): Embedder {
  switch (settings.source ?? 'openAi') {
    case 'openAi':
      return openAi(settings, defaults);
    case 'ollama':
      return ollama(settings, defaults);
    case 'huggingFace':
      return new LocalEmbedder(settings, defaults.models);
    case 'rest':
      return rest(settings, purpose, defaults);
    case 'composite': {
      const half = purpose === 'search' ? settings.searchEmbedder : settings.indexingEmbedder;
      return makeEmbedder(half ?? {}, purpose, defaults);
    }
    case 'userProvided':
      return USER_PROVIDED;
    default:
      throw new EmbeddingError('user', `unknown source \`${settings.source}\``);
  }
}

function openAi(settings: EmbedderSettings, defaults: EmbedderDefaults): Embedder {
  const model = settings.model ?? OPEN_AI_MODEL;
  const { dimensions } = settings;
  const request = {
    model,
    input: ['{{text}}', '{{..}}'],
    ...(dimensions === undefined ? {} : { dimensions }),
  };
  const response = { data: [{ embedding: '{{embedding}}' }, '{{..}}'] };
  const service = {
    url: settings.url ?? OPEN_AI_URL,
    apiKey: settings.apiKey ?? defaults.openAiApiKey,
    headers: {},
    format: new RestFormat(request, response, false),
    dimensions: dimensions ?? OPEN_AI_DIMENSIONS[model],
  };
  return new HttpEmbedder(service, defaults.fetch);
}

function ollama(settings: EmbedderSettings, defaults: EmbedderDefaults): Embedder {
  const url = settings.url ?? defaults.ollamaUrl ?? OLLAMA_URL;
  const { model, apiKey, dimensions } = settings;
  const service = { url, apiKey, headers: {}, format: ollamaFormat(url, model), dimensions };
  return new HttpEmbedder(service, defaults.fetch);
}

function ollamaFormat(url: string, model: string | undefined): RestFormat {
  const path = url.replace(/\/+$/, '');
  if (path.endsWith('/api/embeddings')) {
    return new RestFormat({ model, prompt: '{{text}}' }, { embedding: '{{embedding}}' }, false);
  }
  if (path.endsWith('/api/embed')) {
    const response = { embeddings: ['{{embedding}}', '{{..}}'] };
    return new RestFormat({ model, input: ['{{text}}', '{{..}}'] }, response, false);
  }
  throw new EmbeddingError(
    'user',
    `unsupported Ollama URL.\n  - For \`ollama\` sources, the URL must end with \`/api/embed\` or \`/api/embeddings\`\n  - Got \`${url}\``,
  );
}

function rest(settings: EmbedderSettings, purpose: Purpose, defaults: EmbedderDefaults): Embedder {
  const { url, request, response, apiKey, headers = {}, dimensions } = settings;
  if (url === undefined) throw new EmbeddingError('user', 'the embedder has no `url`');
  const fragments = purpose === 'search' ? settings.searchFragments : settings.indexingFragments;
  const format = new RestFormat(request, response, usesFragments(fragments));
  return new HttpEmbedder({ url, apiKey, headers, format, dimensions }, defaults.fetch);
}

/** Whether texts are rendered fragments: there is at least one. */
export function usesFragments(fragments: Readonly<Record<string, unknown>> | undefined): boolean {
  return fragments !== undefined && Object.keys(fragments).length > 0;
}

const USER_PROVIDED: Embedder = {
  dimensions: undefined,
  embed: (texts: readonly unknown[], _options: EmbedOptions) => {
    const reason = `attempt to embed the following text in a configuration where embeddings must be user provided:\n  - \`${texts[0]}\``;
    return Promise.reject(new EmbeddingError('user', reason));
  },
};
