/** The OpenAPI document, as far as the explorer looks. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A parameter of the path, the query string or the headers. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema: unknown;
}

/** A body by its media type. */
export type Content = Readonly<
  Record<string, { readonly schema: unknown; readonly example?: unknown }>
>;

/** An answer, or why there is none. */
export interface DescribedAnswer {
  readonly description: string;
  readonly content?: Content;
}

interface Reference {
  readonly $ref: string;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly { readonly Bearer?: readonly string[] }[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, DescribedAnswer | Reference>>;
}

/** A route, with everything that it refers to in its place. */
export interface Operation {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string | undefined;
  /** The actions that open it: one line of them is enough. */
  readonly actions: readonly (readonly string[])[];
  readonly parameters: readonly Parameter[];
  readonly body: Content | undefined;
  readonly answers: readonly (readonly [status: string, answer: DescribedAnswer])[];
}

/** All routes of a document, in its order. */
export function operationsOf(document: ApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, one]): Operation => ({
        id: one.operationId,
        tag: one.tags[0] ?? '',
        method: method.toUpperCase(),
        path,
        summary: one.summary,
        description: one.description,
        actions: one.security.flatMap(({ Bearer }) => (Bearer === undefined ? [] : [Bearer])),
        parameters: (one.parameters ?? []).map((parameter) => resolved(document, parameter)),
        body: one.requestBody?.content,
        answers: Object.entries(one.responses).map(
          ([status, answer]) => [status, resolved(document, answer)] as const,
        ),
      }),
    ),
  );
}

function resolved<T extends object>(document: ApiDocument, value: T | Reference): T {
  if (!('$ref' in value)) return value;
  const [, , kind = '', name = ''] = value.$ref.split('/');
  return document.components[kind]?.[name] as T;
}

/** A schema as text, with the named ones that it refers to, each once. */
export function schemaText(document: ApiDocument, schema: unknown): string {
  const text = JSON.stringify(schema, null, 2);
  const named = new Map<string, unknown>();
  const collect = (inside: string): void => {
    for (const [, name = ''] of inside.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (named.has(name)) continue;
      const found = document.components.schemas?.[name];
      named.set(name, found);
      collect(JSON.stringify(found));
    }
  };
  collect(text);
  const parts = [...named].map(([name, one]) => `${name}: ${JSON.stringify(one, null, 2)}`);
  return [text, ...parts].join('\n\n');
}
