import * as z from 'zod';
import { PRODUCT_NAME, PRODUCT_VERSION } from '../config/product.js';
import { JSON_ONLY } from './content-type.js';
import type { AnyRoute } from './route.js';

type Json = Record<string, unknown>;

const ERROR_RESPONSE = { $ref: '#/components/responses/Error' };

/** The OpenAPI 3.1 document of routes, from the schemas that check their requests. */
export function openApiDocument(routes: readonly AnyRoute[]): Json {
  const schemas: Json = { Error: ERROR_SCHEMA };
  const paths: Record<string, Json> = {};
  for (const one of routes) {
    const path = one.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [String(one.method).toLowerCase()]: operation(one, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: { title: PRODUCT_NAME, version: PRODUCT_VERSION },
    paths,
    components: {
      schemas,
      responses: { Error: { description: 'Why the request was refused', ...json(ref('Error')) } },
      securitySchemes: { Bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function operation(one: AnyRoute, schemas: Json): Json {
  const { answers = 'application/json' } = one;
  const parameters = [...pathParameters(one.path), ...queryParameters(one.query, schemas)];
  return {
    ...(one.actions === undefined
      ? { security: [] }
      : { security: [{ Bearer: [] }], description: `Asks for: ${one.actions.join(', ')}` }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBody(one, schemas),
    responses: {
      '2XX': { description: 'Success', content: { [answers]: { schema: {} } } },
      '4XX': ERROR_RESPONSE,
      '5XX': ERROR_RESPONSE,
    },
  };
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(query: z.ZodObject | undefined, schemas: Json): Json[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = jsonSchema(query, schemas) as {
    properties?: Json;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    ...(required.includes(name) ? { required: true } : {}),
    // Lists are written with commas.
    explode: false,
    schema,
  }));
}

function requestBody({ body, accepts }: AnyRoute, schemas: Json): Json {
  if (body === undefined && accepts === undefined) return {};
  const schema = body === undefined ? {} : jsonSchema(body, schemas);
  const content = Object.fromEntries((accepts ?? JSON_ONLY).map((type) => [type, { schema }]));
  return { requestBody: { required: true, content } };
}

/** A schema as JSON Schema; those with a name move to the components. */
function jsonSchema(schema: z.ZodType, schemas: Json): Json {
  const text = JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
  const { $schema, $defs, id, ...rest } = JSON.parse(
    text.replaceAll('#/$defs/', '#/components/schemas/'),
  ) as { $defs?: Json } & Json;
  for (const [name, { id: _, ...definition }] of Object.entries($defs ?? {}) as [string, Json][]) {
    schemas[name] = definition;
  }
  return rest;
}

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: Json): Json => ({ content: { 'application/json': { schema } } });

const ERROR_SCHEMA = {
  type: 'object',
  properties: {
    message: { type: 'string' },
    code: { type: 'string' },
    type: { enum: ['invalid_request', 'auth', 'internal', 'system'] },
    link: { type: 'string', format: 'uri' },
  },
  required: ['message', 'code', 'type', 'link'],
};
