import { expect, test } from 'vitest';
import { createServer } from '../../src/http/create-server.js';
import { fakeServices } from './fake-services.js';

type Json = Record<string, unknown>;

async function document(): Promise<Json> {
  const app = await createServer(fakeServices().services, { payloadSizeLimit: 1000 });
  const response = await app.inject('/openapi.json');
  return response.json();
}

/** Every `$ref` anywhere in a value. */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === '$ref' ? [String(member)] : references(member),
  );
}

test('every reference of the OpenAPI document leads somewhere', async () => {
  const whole = await document();
  for (const reference of references(whole)) {
    const target = reference
      .slice(2)
      .split('/')
      .reduce<unknown>((at, name) => (at as Json)[name], whole);
    expect([reference, typeof target]).toEqual([reference, 'object']);
  }
});

test('the search body is described by its schema', async () => {
  const { paths, components } = (await document()) as {
    paths: Record<string, Record<string, Json>>;
    components: { schemas: Record<string, { properties: Record<string, Json> }> };
  };
  expect(paths['/indexes/{indexUid}/search']?.post?.requestBody).toMatchObject({
    content: { 'application/json': { schema: { $ref: '#/components/schemas/SearchRequest' } } },
  });
  expect(components.schemas.SearchRequest?.properties.limit).toEqual({
    type: 'integer',
    minimum: 0,
  });
});
