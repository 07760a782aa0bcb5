import { PRODUCT_NAME, PRODUCT_VERSION } from '../../config/product.js';
import type { AnyRoute } from '../route.js';
import { errorSchema } from './answers/basics.js';
import { document as documentSchema } from './answers/searches.js';
import type { AnswerBook } from './error-answers.js';
import { EXAMPLES } from './examples.js';
import { ALL_NOTES } from './notes/all-notes.js';
import { operation } from './operation.js';
import { HEADER_PARAMETERS } from './parameters.js';
import type { RouteNotes } from './route-notes.js';
import { type Json, SchemaBook } from './schema-book.js';

const DESCRIPTION = `The HTTP interface of ${PRODUCT_NAME}. Bodies are JSON unless a route says otherwise, moments are RFC 3339, durations ISO 8601.

**Keys.** A server with a master key asks for a key: \`Authorization: Bearer KEY\`. Each route names the actions of which a key must hold one; a route that names two in one line asks for both. The master key may do everything. A server without a master key asks for none.

**Writes** are answered with a task at once and done later; follow them at \`/tasks/{taskUid}\`.

**Errors** are an object with \`message\`, \`code\`, \`type\` and \`link\`. Unknown paths are answered with 404 and known ones by another method with 405, both without a body. Paths of GET answer to HEAD, too. Bodies may be compressed, named in \`Content-Encoding\`: gzip, deflate, br or zstd.`;

const SECURITY_SCHEMES = {
  Bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The master key, an API key or a tenant token',
  },
  EarlierKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Svc-API-Key',
    description:
      'The master key or one of the two derived ones; such requests speak the earlier shape',
  },
};

/** The OpenAPI 3.1 document of routes, from the schemas that check their requests. */
export function openApiDocument(routes: readonly AnyRoute[]): Json {
  const book = new SchemaBook();
  const answers: AnswerBook = {};
  book.answered(errorSchema);
  book.answered(documentSchema);
  const paths: Record<string, Json> = {};
  for (const one of routes) {
    const name = `${one.method} ${one.path}`;
    const { tag, notes } = notesOf(name);
    const path = one.path.replace(/:(\w+)/g, '{$1}');
    const described = operation(one, tag, notes, { schemas: book, answers }, EXAMPLES[name]);
    paths[path] = { ...paths[path], [String(one.method).toLowerCase()]: described };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: PRODUCT_NAME,
      version: PRODUCT_VERSION,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: ALL_NOTES.map(({ tag, description }) => ({ name: tag, description })),
    paths,
    components: {
      schemas: book.named,
      responses: answers,
      parameters: HEADER_PARAMETERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function notesOf(name: string): { readonly tag: string; readonly notes: RouteNotes } {
  for (const { tag, routes } of ALL_NOTES) {
    const notes = routes[name];
    if (notes !== undefined) return { tag, notes };
  }
  throw new Error(`the route ${name} is not described`);
}
