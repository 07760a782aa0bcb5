import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { createServer } from '../../src/http/create-server.js';
import { fakeServices } from './fake-services.js';

type Json = Record<string, unknown>;

/** An answer as the document describes it. */
interface DescribedAnswer {
  readonly content?: Readonly<
    Record<string, { readonly schema: Json; readonly example?: unknown }>
  >;
}

/** A route as the document describes it. */
export interface Operation {
  readonly summary: string;
  readonly operationId: string;
  readonly parameters?: readonly Json[];
  readonly requestBody?: DescribedAnswer;
  readonly responses: Readonly<Record<string, DescribedAnswer | { readonly $ref: string }>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

/** The document as the server gives it. */
export async function servedDocument(): Promise<Json> {
  const app = await createServer(fakeServices().services, { payloadSizeLimit: 1000 });
  const response = await app.inject('/openapi.json');
  await app.close();
  return response.json();
}

/** Holds requests and answers to the document. */
export class Described {
  readonly document: Json;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true });
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: Json) {
    this.document = document;
    formats.default(this.#ajv);
    this.#ajv.addSchema(document, 'openapi.json');
  }

  /** Every operation by its method and path pattern. */
  operations(): [name: string, operation: Operation][] {
    const paths = this.document.paths as Record<string, Record<string, Operation>>;
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    );
  }

  /** The name of the operation of a request: of two that fit, the one with fewer parameters. */
  nameOf(method: string, path: string): string | undefined {
    const parts = (path.split('?')[0] ?? '').split('/').filter((part) => part !== '');
    const fitting = this.operations().filter(([name]) => {
      const [ofMethod, pattern = ''] = name.split(' ');
      const patterns = pattern.split('/').filter((part) => part !== '');
      return (
        ofMethod === method &&
        patterns.length === parts.length &&
        patterns.every((one, at) => one.startsWith('{') || one === parts[at])
      );
    });
    return fitting
      .map(([name]) => name)
      .sort((a, b) => a.split('{').length - b.split('{').length)[0];
  }

  /** What is wrong with an answer, if anything. */
  answerProblem(
    name: string,
    answer: { readonly status: number; readonly contentType: string; readonly body: unknown },
  ): string | undefined {
    const [method = '', path = ''] = name.split(' ');
    const at = `/paths/${escaped(path)}/${method.toLowerCase()}/responses/${answer.status}`;
    const found = this.#follow(at);
    if (found === undefined) return `status ${answer.status} is not described`;
    const { content } = found.value as DescribedAnswer;
    if (content === undefined) return answer.body == null ? undefined : 'a body is not described';
    const type = answer.contentType.split(';')[0] ?? '';
    if (!Object.hasOwn(content, type)) return `the media type ${type} is not described`;
    if (type !== 'application/json') return undefined;
    return this.#schemaProblem(`${found.at}/content/${escaped(type)}/schema`, answer.body);
  }

  /** What is wrong with the status of an answer, if anything. */
  statusProblem(name: string, status: number): string | undefined {
    const { responses } = new Map(this.operations()).get(name) ?? { responses: {} };
    return status in responses ? undefined : `status ${status} is not described`;
  }

  /** What is wrong with a JSON body, if anything. */
  bodyProblem(name: string, contentType: string, body: unknown): string | undefined {
    const [method = '', path = ''] = name.split(' ');
    const at = `/paths/${escaped(path)}/${method.toLowerCase()}/requestBody/content/${escaped(contentType)}/schema`;
    if (this.#follow(at) === undefined) return `the media type ${contentType} is not described`;
    return this.#schemaProblem(at, body);
  }

  #follow(at: string): { readonly at: string; readonly value: Json } | undefined {
    const value = at
      .slice(1)
      .split('/')
      .reduce<unknown>(
        (inside, part) => (inside as Json | undefined)?.[unescaped(part)],
        this.document,
      ) as Json | undefined;
    if (value === undefined) return undefined;
    return typeof value.$ref === 'string' ? this.#follow(value.$ref.slice(1)) : { at, value };
  }

  #schemaProblem(at: string, value: unknown): string | undefined {
    const validate =
      this.#compiled.get(at) ?? this.#ajv.compile({ $ref: `openapi.json#${fragment(at)}` });
    this.#compiled.set(at, validate);
    if (validate(value)) return undefined;
    return this.#ajv.errorsText(validate.errors);
  }
}

const escaped = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');
const unescaped = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');
const fragment = (pointer: string): string => pointer.split('/').map(encodeURIComponent).join('/');
