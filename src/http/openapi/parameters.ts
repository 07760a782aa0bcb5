import type * as z from 'zod';
import type { AnyRoute } from '../route.js';
import type { RouteExample } from './examples.js';
import { describeProperties } from './property-descriptions.js';
import type { RequestHeader, RouteNotes } from './route-notes.js';
import type { Json, SchemaBook } from './schema-book.js';

const INDEX_UID = { type: 'string', pattern: '^[a-zA-Z0-9_-]+$', maxLength: 400 };
const UID = { type: 'integer', minimum: 0 };

/** Parts of paths that vary. */
const PATH_PARAMETERS: Readonly<Record<string, { description: string; schema: Json }>> = {
  indexUid: { description: 'The uid of an index', schema: INDEX_UID },
  documentId: {
    description: 'The id of a document',
    schema: { type: 'string', pattern: '^[a-zA-Z0-9_-]+$', maxLength: 511 },
  },
  taskUid: { description: 'The uid of a task', schema: UID },
  batchUid: { description: 'The uid of a batch', schema: UID },
  updateId: { description: 'The uid of a task', schema: UID },
  uidOrKey: {
    description: 'The uid of a key, or the key',
    schema: { type: 'string', minLength: 1 },
  },
  uuid: { description: 'The uuid of a webhook', schema: { type: 'string', format: 'uuid' } },
  workspaceUid: { description: 'The uid of a workspace', schema: INDEX_UID },
  ruleUid: { description: 'The uid of a rule', schema: INDEX_UID },
};

/** The headers that change what is answered, as components of the document. */
export const HEADER_PARAMETERS: Readonly<Record<RequestHeader, Json>> = {
  ApiShape: {
    name: 'Svc-Api-Shape',
    in: 'header',
    description: 'The generation of the interface that the request speaks',
    schema: { enum: ['current', 'earlier'] },
  },
  IncludeMetadata: {
    name: 'Svc-Include-Metadata',
    in: 'header',
    description: 'Whether the answer names its index, primary key and query in `metadata`',
    schema: { enum: ['true', 'false'] },
  },
};

/** The parameters of a route: in its path, its query string and its headers. */
export function parametersOf(
  one: AnyRoute,
  { headers = [] }: RouteNotes,
  book: SchemaBook,
  example: RouteExample | undefined,
): Json[] {
  return [
    ...pathParameters(one.path, example),
    ...queryParameters(one.query, book, example),
    ...headers.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
}

function pathParameters(path: string, example: RouteExample | undefined): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...(PATH_PARAMETERS[name] ?? { schema: { type: 'string' } }),
    ...exampleOf(name, example?.params),
  }));
}

function queryParameters(
  query: z.ZodObject | undefined,
  book: SchemaBook,
  example: RouteExample | undefined,
): Json[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = describeProperties(book.sent(query)) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(description === undefined ? {} : { description }),
    ...(required.includes(name) ? { required: true } : {}),
    // Lists are written with commas.
    explode: false,
    schema,
    ...exampleOf(name, example?.query),
  }));
}

function exampleOf(name: string, values: Readonly<Record<string, unknown>> = {}): Json {
  return Object.hasOwn(values, name) ? { example: values[name] } : {};
}
