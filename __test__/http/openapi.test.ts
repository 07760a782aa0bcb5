import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, expect, test } from 'vitest';
import { ACTIONS } from '../../src/auth/actions.js';
import { ERROR_CODES } from '../../src/errors/codes.js';
import { Described, servedDocument } from './openapi-document.js';

type Json = Record<string, unknown>;

let described: Described;
beforeAll(async () => {
  described = new Described(await servedDocument());
});

/** Every `$ref` anywhere in a value. */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === '$ref' ? [String(member)] : references(member),
  );
}

test('a validator of others finds nothing wrong with the document', async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(described.document));
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
});

test('every reference of the document leads somewhere', () => {
  for (const reference of references(described.document)) {
    const target = reference
      .slice(2)
      .split('/')
      .reduce<unknown>((at, name) => (at as Json)[name], described.document);
    expect([reference, typeof target]).toEqual([reference, 'object']);
  }
});

test('operations have names of their own, and all say what they answer', () => {
  const operations = described.operations();
  const names = operations.map(([, { operationId }]) => operationId);
  expect(new Set(names).size).toBe(names.length);
  for (const [name, { responses }] of operations) {
    const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'));
    if (name !== 'POST /network/control') expect([name, answers.length]).toEqual([name, 1]);
    expect(Object.keys(responses)).toContain('500');
  }
});

test('the search body is described by its schema', () => {
  const { paths, components } = described.document as {
    paths: Record<string, Record<string, Json>>;
    components: { schemas: Record<string, { properties: Record<string, Json> }> };
  };
  expect(paths['/indexes/{indexUid}/search']?.post?.requestBody).toMatchObject({
    content: { 'application/json': { schema: { $ref: '#/components/schemas/SearchRequest' } } },
  });
  expect(components.schemas.SearchRequest?.properties.limit).toMatchObject({
    type: 'integer',
    minimum: 0,
  });
});

test('every parameter, and every field of what may be sent, says what it means', () => {
  const { components } = described.document as {
    components: { schemas: Record<string, { properties?: Record<string, Json> }> };
  };
  for (const [name, { parameters = [] }] of described.operations()) {
    const silent = parameters.filter((one) => !('$ref' in one) && one.description === undefined);
    expect([name, silent.map((one) => one.name)]).toEqual([name, []]);
  }
  for (const name of ['SearchRequest', 'FetchDocuments', 'SimilarRequest', 'ApiKeyCreation']) {
    const properties = Object.entries(components.schemas[name]?.properties ?? {});
    const silent = properties.filter(([, { description }]) => description === undefined);
    expect([name, silent]).toEqual([name, []]);
  }
});

test('what the server numbers by itself is not said to be chosen or asked for', () => {
  const { components } = described.document as {
    components: { schemas: Record<string, { properties: Record<string, Json> }> };
  };
  for (const name of ['Task', 'Batch', 'Stats', 'Field', 'Rendering']) {
    const texts = Object.values(components.schemas[name]?.properties ?? {}).map(
      ({ description }) => description ?? '',
    );
    expect(texts.length).toBeGreaterThan(0);
    expect([
      name,
      texts.filter((text) => /client|[Oo]nly those|people|pattern/.test(String(text))),
    ]).toEqual([name, []]);
  }
});

test('a filter that is an object is not said to be an expression', () => {
  const { components } = described.document as {
    components: { schemas: Record<string, { properties: Record<string, Json> }> };
  };
  for (const name of ['FieldsRequest', 'DynamicSearchRuleListing']) {
    expect(components.schemas[name]?.properties.filter?.description).toMatch(/^Which /);
  }
});

test('keys are asked for by known actions, several ways in are several lines', () => {
  const operations = new Map(described.operations());
  const known = new Set<string>(ACTIONS);
  for (const { security } of operations.values()) {
    for (const action of security.flatMap(({ Bearer = [] }) => Bearer)) {
      expect(known).toContain(action);
    }
  }
  expect(operations.get('GET /health')?.security).toEqual([]);
  expect(operations.get('POST /keys')?.security).toEqual([{ Bearer: ['keys.create'] }]);
  expect(operations.get('GET /chats/{workspaceUid}/settings')?.security).toEqual([
    { Bearer: ['chatsSettings.get'] },
    { Bearer: ['chats.get'] },
    { EarlierKey: [] },
  ]);
  expect(operations.get('POST /render-template')?.security[0]).toEqual({
    Bearer: ['settings.get', 'documents.get'],
  });
});

/** Codes that no request is answered with: they are of an edition with a leader, or are reserved. */
const UNANSWERED = [
  'index_creation_failed',
  'invalid_store_file',
  'not_leader',
  'unknown_remote',
  'unprocessed_network_task',
  'unretrievable_error_code',
  'invalid_facet_search_name',
  'invalid_multi_search_facets',
  'invalid_multi_search_federated',
  'invalid_chat_setting_document_template',
  'invalid_chat_completion_pre_query_prompt',
  'invalid_export_indexes_patterns',
  'immutable_api_key_key',
];

test('every other code stands at the routes that answer it', () => {
  const text = JSON.stringify(described.document);
  const ofTasks = /\(task\)|reserved|between nodes|S3|bucket|OS error|internal inconsistency/;
  const missing = Object.entries(ERROR_CODES).filter(
    ([code, { doc }]) => !ofTasks.test(doc) && !text.includes(`"${code}"`),
  );
  expect(missing.map(([code]) => code).sort()).toEqual(UNANSWERED.toSorted());
});
