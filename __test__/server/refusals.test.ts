import { expect, test } from 'vitest';
import { newFolder, type Server, start } from './servers.js';
import { ask, MASTER_KEY, write } from './talk.js';

/** Status, code and message of an answer; of a good one only the status. */
async function refusal(
  { url }: Server,
  method: string,
  path: string,
  body?: string,
): Promise<(string | number | undefined)[]> {
  const headers = { Authorization: `Bearer ${MASTER_KEY}`, 'Content-Type': 'application/json' };
  const response = await fetch(`${url}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  const { code, message } = (await response.json()) as { code?: string; message?: string };
  return code === undefined ? [response.status] : [response.status, code, message];
}

test('documents are not chosen by operators whose features are off', async () => {
  const server = await start(await newFolder());
  await write(server.url, 'PATCH', '/indexes/toys/settings', { filterableAttributes: ['kind'] });
  await write(server.url, 'POST', '/indexes/toys/documents', [{ id: 1, kind: 'wood' }]);
  await ask(`${server.url}/experimental-features`, 'PATCH', { editDocumentsByFunction: true });
  const remove = (filter: unknown) =>
    refusal(server, 'POST', '/indexes/toys/documents/delete', JSON.stringify({ filter }));
  const edit = (filter: unknown) => {
    const body = JSON.stringify({ function: 'doc.seen = true', filter });
    return refusal(server, 'POST', '/indexes/toys/documents/edit', body);
  };
  const contains = [
    400,
    'feature_not_enabled',
    'Using `CONTAINS` in a filter requires enabling the `contains filter` experimental feature. ' +
      'See https://github.com/serval-search/serval/discussions/763\n6:14 kind CONTAINS oo',
  ];
  expect(await remove('kind CONTAINS oo')).toEqual(contains);
  expect(await remove([['kind CONTAINS oo']])).toEqual(contains);
  expect(await edit('kind CONTAINS oo')).toEqual(contains);
  expect((await remove('_vectors EXISTS')).slice(0, 2)).toEqual([400, 'feature_not_enabled']);
  expect((await remove('_foreign(kind, a = 1)')).slice(0, 2)).toEqual([400, 'feature_not_enabled']);
  expect(await remove('kind =')).toEqual([
    400,
    'invalid_document_filter',
    'Was expecting a value but instead got nothing.\n7:7 kind =',
  ]);
  expect(await edit('')).toEqual([
    400,
    'invalid_document_filter',
    'Index `toys`: Sending an empty filter is forbidden.',
  ]);

  await ask(`${server.url}/experimental-features`, 'PATCH', { containsFilter: true });
  const filter = { filter: 'kind CONTAINS oo' };
  const removed = await write(server.url, 'POST', '/indexes/toys/documents/delete', filter);
  expect(removed.details).toMatchObject({ deletedDocuments: 1 });
});

test('dates at the ends of the calendar bound lists of tasks like any other', async () => {
  const server = await start(await newFolder());
  await write(server.url, 'POST', '/indexes', { uid: 'one' });
  const total = async (query: string) =>
    (await ask<{ total: number }>(`${server.url}/tasks?${query}`)).total;
  expect(await total('afterEnqueuedAt=9999-12-31')).toBe(0);
  expect(await total('beforeEnqueuedAt=9999-12-31')).toBe(1);
  expect(await total('beforeEnqueuedAt=9999-12-31T23:59:59-23:00')).toBe(1);
  expect(await total('afterEnqueuedAt=0000-01-01T00:00:00%2B23:00')).toBe(1);
});

test('a uid in a path that does not fit its 32 bits is no uid', async () => {
  const server = await start(await newFolder());
  for (const text of ['4294967296', '99999999999999999999', '-1', '1.0', 'x']) {
    expect(await refusal(server, 'GET', `/tasks/${text}`)).toEqual([
      400,
      'invalid_task_uids',
      `Task uid \`${text}\` is invalid. It should only contain numeric characters.`,
    ]);
    expect(await refusal(server, 'GET', `/batches/${text}`)).toEqual([
      400,
      'invalid_batch_uids',
      `Batch uid \`${text}\` is invalid. It should only contain numeric characters.`,
    ]);
  }
  const largest = await refusal(server, 'GET', '/tasks/4294967295');
  expect(largest).toEqual([404, 'task_not_found', 'Task `4294967295` not found.']);
});

test('numbers of parameters reach to 64 bits', async () => {
  const server = await start(await newFolder());
  expect(await refusal(server, 'GET', '/indexes?limit=18446744073709551615')).toEqual([200]);
  expect(await refusal(server, 'GET', '/indexes?limit=18446744073709551616')).toEqual([
    400,
    'invalid_index_limit',
    'Invalid value in parameter `limit`: could not parse `18446744073709551616` as a positive integer',
  ]);
});

test('a batch of deletions that is no list is told by what it is, and where that shows', async () => {
  const server = await start(await newFolder());
  const batch = (body: string) =>
    refusal(server, 'POST', '/indexes/toys/documents/delete-batch', body);
  for (const [body, found, column] of [
    ['"doggo"', 'string "doggo"', 7],
    ['{"ids":[1]}', 'map', 0],
    ['12', 'integer `12`', 2],
    ['1.5', 'floating point `1.5`', 3],
    ['true', 'boolean `true`', 4],
    ['null', 'null', 4],
  ] as const) {
    const message = `Json deserialize error: invalid type: ${found}, expected a sequence at line 1 column ${column}`;
    expect(await batch(body)).toEqual([400, 'bad_request', message]);
  }
});

test('the embedders inside a composite one are looked at like others', async () => {
  const server = await start(await newFolder());
  await ask(`${server.url}/experimental-features`, 'PATCH', {
    compositeEmbedders: true,
    multimodal: true,
  });
  const set = async (embedder: object) => {
    const body = JSON.stringify({ x: embedder });
    return (await refusal(server, 'PATCH', '/indexes/toys/settings/embedders', body)).slice(1);
  };
  const composite = (searchEmbedder: object, indexingEmbedder: object = { source: 'openAi' }) =>
    set({ source: 'composite', searchEmbedder, indexingEmbedder });
  const code = 'invalid_settings_embedders';
  expect(await composite({})).toEqual([
    code,
    '`.embedders.x.searchEmbedder`: Missing field `source`.\n  - note: this field is mandatory for nested embedders',
  ]);
  expect(await composite({ source: 'composite' })).toEqual([
    code,
    '`.embedders.x.searchEmbedder.source`: Source `composite` is not available in a nested embedder',
  ]);
  expect(await composite({ source: 'openAi' }, { source: 'userProvided' })).toEqual([
    code,
    '`.embedders.x.indexingEmbedder.source`: Source `userProvided` is not available in a nested embedder',
  ]);
  expect(await composite({ source: 'rest' })).toEqual([
    code,
    '`.embedders.x.searchEmbedder`: Missing field `url` (note: this field is mandatory for source `rest`)',
  ]);
  const [, message] = await composite({ source: 'openAi', documentTemplate: 'x' });
  expect(message).toMatch(
    /^`\.embedders\.x\.searchEmbedder`: Field `documentTemplate` unavailable for source `openAi`\./,
  );
  expect(await set({ source: 'rest', indexingFragments: { a: {} } })).toEqual([
    code,
    'Missing field `value` inside `.x.indexingFragments.a`',
  ]);
});

test('integers that are kept in fewer bits are refused by the largest that fits', async () => {
  const server = await start(await newFolder());
  const tooLarge = (value: number, most: number) =>
    `value: \`${value}\` is too large to be deserialized, maximum value authorized is \`${most}\``;
  const position = { selector: { id: '1' }, action: { type: 'pin', position: 4_294_967_296 } };
  const rule = JSON.stringify({ actions: [position] });
  expect(await refusal(server, 'PATCH', '/dynamic-search-rules/a', rule)).toEqual([
    400,
    'invalid_dynamic_search_rule_actions',
    `Invalid value at \`.actions[0].action.position\`: ${tooLarge(4_294_967_296, 4_294_967_295)}`,
  ]);
  const typos = JSON.stringify({ minWordSizeForTypos: { oneTypo: 256 } });
  expect(await refusal(server, 'PATCH', '/indexes/a/settings/typo-tolerance', typos)).toEqual([
    400,
    'invalid_settings_typo_tolerance',
    `Invalid value at \`.minWordSizeForTypos.oneTypo\`: ${tooLarge(256, 255)}`,
  ]);
});

test('a list of no identifiers chooses no document, an identifier of nothing is refused', async () => {
  const server = await start(await newFolder());
  await write(server.url, 'POST', '/indexes/toys/documents', [{ id: 1 }, { id: 2 }]);
  const page = { results: [], offset: 0, limit: 20, total: 0 };
  expect(await ask(`${server.url}/indexes/toys/documents?ids=`)).toEqual(page);
  const [status, code] = await refusal(server, 'GET', '/indexes/toys/documents?ids=1,');
  expect([status, code]).toEqual([400, 'invalid_document_ids']);
});

test('a task or batch that is not there is named as a number', async () => {
  const server = await start(await newFolder());
  expect(await refusal(server, 'GET', '/tasks/+07')).toEqual([
    404,
    'task_not_found',
    'Task `7` not found.',
  ]);
  expect(await refusal(server, 'GET', '/batches/007')).toEqual([
    404,
    'batch_not_found',
    'Batch `7` not found.',
  ]);
});
