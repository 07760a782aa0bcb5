import { JSON_ONLY } from '../content-type.js';
import type { AnyRoute } from '../route.js';
import { type AnswerBook, errorAnswers } from './error-answers.js';
import type { RouteExample } from './examples.js';
import { parametersOf } from './parameters.js';
import type { AnswerNotes, RouteNotes } from './route-notes.js';
import type { Json, SchemaBook } from './schema-book.js';

const DOCUMENTS = {
  oneOf: [
    { type: 'array', items: { $ref: '#/components/schemas/Document' } },
    { $ref: '#/components/schemas/Document' },
  ],
};

/** Bodies of other media types. */
const TEXTS: Readonly<Partial<Record<string, Json>>> = {
  'application/x-ndjson': {
    type: 'string',
    description: 'One document a line: `{"id":1,"title":"Alien"}`',
  },
  'text/csv': {
    type: 'string',
    description:
      'A line of names, then one document a line: `id:number,title`, `1,Alien`. Types are `string` (when absent), `number` and `boolean`.',
  },
};

/** What the document says of one route. */
export function operation(
  one: AnyRoute,
  tag: string,
  notes: RouteNotes,
  books: Books,
  example: RouteExample | undefined,
): Json {
  const book = books.schemas;
  const parameters = parametersOf(one, notes, book, example);
  return {
    operationId: notes.id,
    tags: [tag],
    summary: notes.summary,
    ...(notes.description === undefined ? {} : { description: notes.description }),
    security: security(one),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBody(one, book, example),
    responses: {
      ...errorAnswers(one, notes, books.answers),
      ...successes(notes, book, example),
    },
  };
}

/** Each way in: a key with one of the actions, and with all that are asked for besides. */
function security({ actions, alsoActions = [], shape }: AnyRoute): Json[] {
  if (actions === undefined) return [];
  const ways = actions.map((action) => ({ Bearer: [action, ...alsoActions] }));
  return shape === 'current' ? ways : [...ways, { EarlierKey: [] }];
}

function requestBody(
  { body, accepts }: AnyRoute,
  book: SchemaBook,
  example: RouteExample | undefined,
): Json {
  if (body === undefined && accepts === undefined) return {};
  const schema = body === undefined ? DOCUMENTS : book.sent(body);
  const content = Object.fromEntries(
    (accepts ?? JSON_ONLY).map((type) => [
      type,
      {
        schema: type === 'application/json' ? schema : (TEXTS[type] ?? {}),
        ...(type === example?.contentType ? { example: example.body } : {}),
      },
    ]),
  );
  return { requestBody: { required: true, content } };
}

function successes(
  { answers }: RouteNotes,
  book: SchemaBook,
  example: RouteExample | undefined,
): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [
      status,
      answerOf(answer, book, Number(status) === example?.status ? example : undefined),
    ]),
  );
}

function answerOf(
  { description, schema, asSent, mediaTypes = JSON_ONLY }: AnswerNotes,
  book: SchemaBook,
  example?: RouteExample,
): Json {
  if (schema === undefined) return { description };
  const written = asSent === true ? book.sent(schema) : book.answered(schema);
  const content = Object.fromEntries(
    mediaTypes.map((type) => [
      type,
      {
        schema: type === 'application/json' ? written : { type: 'string' },
        ...(type === example?.answerType ? { example: example.answer } : {}),
      },
    ]),
  );
  return { description, content };
}

/** What routes have in common. */
export interface Books {
  readonly schemas: SchemaBook;
  readonly answers: AnswerBook;
}
