import type { Embeddable } from './embedder.js';
import { EmbeddingError } from './embedding-error.js';
import { type JsonTemplate, readJsonTemplate, TemplateProblem } from './json-template.js';
import { type Path, pathText, valueAt, withValueAt } from './template-path.js';

/** The texts of one request when the request can hold several. */
const MAX_TEXTS = 10;

/** How texts are put into a request, and vectors are read from its answer. */
export class RestFormat {
  readonly #request: JsonTemplate;
  readonly #response: JsonTemplate;

  /** Reads the templates; throws an `EmbeddingError` of the user where they are wrong. */
  constructor(request: unknown, response: unknown, usesFragments: boolean) {
    this.#request = readRequest(request, usesFragments);
    this.#response = readResponse(response);
    const one = 'has a single embedding, but `request` has multiple texts to embed';
    const several = 'has multiple embeddings, but `request` has only one text to embed';
    const repeats = this.#request.repeatPath !== undefined;
    if (repeats !== (this.#response.repeatPath !== undefined)) {
      const reason = `in \`response\`: \`response\` ${repeats ? one : several}`;
      throw new EmbeddingError('user', reason);
    }
  }

  /** Texts of one request at the most. */
  get maxTexts(): number {
    return this.#request.repeatPath === undefined ? 1 : MAX_TEXTS;
  }

  /** The body of a request. */
  body(texts: readonly Embeddable[]): unknown {
    const { json, valuePath, repeatPath } = this.#request;
    if (repeatPath === undefined) return withValueAt(json, valuePath, texts[0]);
    const [item, , ...rest] = valueAt(json, repeatPath) as unknown[];
    const items = texts.map((text) => withValueAt(item, valuePath, text));
    return withValueAt(json, repeatPath, [...items, ...rest]);
  }

  /** The vectors of an answer to so many texts. */
  vectors(answer: unknown, count: number): Float32Array[] {
    const { valuePath, repeatPath } = this.#response;
    if (repeatPath === undefined) {
      return [readVector(valueAt(answer, valuePath), valuePath)];
    }
    const items = valueAt(answer, repeatPath);
    if (!Array.isArray(items)) {
      throw unreadable(repeatPath, 'an array of embeddings', items);
    }
    if (items.length < count) {
      const reason = `expected a response containing ${count} embeddings, got only ${items.length}`;
      throw new EmbeddingError('runtime', reason);
    }
    return items
      .slice(0, count)
      .map((item, place) =>
        readVector(valueAt(item, valuePath), [...repeatPath, place, ...valuePath]),
      );
  }
}

function readRequest(json: unknown, usesFragments: boolean): JsonTemplate {
  const [own, other] = usesFragments ? ['{{fragment}}', '{{text}}'] : ['{{text}}', '{{fragment}}'];
  const using = usesFragments ? 'fragments' : 'a document template';
  return readTemplate(
    () => readJsonTemplate(json, 'request', own as string),
    [
      `\n  - Note: this template is using ${using}, and so expects to contain the placeholder `,
      `"${own}" rather than "${other}"`,
    ],
  );
}

function readResponse(json: unknown): JsonTemplate {
  return readTemplate(() => readJsonTemplate(json, 'response', '{{embedding}}'), []);
}

function readTemplate(read: () => JsonTemplate, note: readonly string[]): JsonTemplate {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TemplateProblem)) throw error;
    throw new EmbeddingError('user', `${error.message}${note.join('')}`);
  }
}

function readVector(value: unknown, path: Path): Float32Array {
  if (!Array.isArray(value) || value.length === 0) {
    throw unreadable(path, 'an array of numbers', value);
  }
  const wrong = value.find((item) => typeof item !== 'number');
  if (wrong !== undefined) throw unreadable(path, 'an array of numbers', wrong);
  const vector = Float32Array.from(value as number[]);
  const tooLarge = value.find((_, at) => !Number.isFinite(vector[at]));
  if (tooLarge !== undefined) throw unreadable(path, 'numbers that 32 bits hold', tooLarge);
  return vector;
}

function unreadable(path: Path, expected: string, found: unknown): EmbeddingError {
  const kind = found === undefined ? 'nothing' : found === null ? 'null' : `a ${kindOf(found)}`;
  const place = pathText('response', path);
  return new EmbeddingError(
    'runtime',
    `in \`${place}\`, while extracting "{{embedding}}", expected ${expected}, but found ${kind}`,
  );
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'list' : typeof value;
}
