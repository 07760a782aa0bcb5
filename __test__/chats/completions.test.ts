import { expect, test } from 'vitest';
import { answered, ask, filmServer, REPORTS, reports, tool } from './chat-server.js';
import {
  calls,
  chunk,
  refusing,
  type Sending,
  startProvider,
  streaming,
  usageChunk,
  words,
} from './provider-server.js';

const SEARCH = { index_uid: 'films', q: 'solaris', filter: '' };

test('an answer is forwarded chunk by chunk as server-sent events', async () => {
  const provider = await startProvider(
    streaming([...words('So', 'laris', ' 😀'), usageChunk(3, 4)]),
  );
  const server = await filmServer(provider);
  const { status, headers, events, text } = await ask(server, { temperature: 0.5, seed: 7 });
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/event-stream');
  expect(headers.get('x-accel-buffering')).toBe('no');
  expect(text.startsWith('retry: 10000\n')).toBe(true);
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  expect(events).toEqual(words('So', 'laris', ' 😀'));
  expect(provider.asked[0]?.body).toMatchObject({ temperature: 0.5, seed: 7, stream: true });
});

test('the model is told of the indexes, their facets and how to search them', async () => {
  const provider = await startProvider(streaming(words('x')));
  const server = await filmServer(provider, { prompts: { system: 'Be short.' } });
  await ask(server);
  const { messages, tools = [] } = provider.asked[0]?.body ?? {};
  expect(messages).toEqual([
    { role: 'developer', content: 'Be short.' },
    { role: 'user', content: 'Which films?' },
  ]);
  expect(tools).toHaveLength(1);
  expect(tools[0]).toMatchObject({
    type: 'function',
    function: {
      name: '_svcSearchInIndex',
      strict: true,
      parameters: {
        type: 'object',
        required: ['index_uid', 'q', 'filter'],
        additionalProperties: false,
        properties: { index_uid: { type: 'string', enum: ['books', 'films'] } },
      },
    },
  });
  const { description, parameters } = tools[0]?.function ?? {};
  expect(description).toContain('\n\n - films: All the films\n');
  expect(parameters?.properties.filter?.description).toContain(
    '\n## Facet distributions of the films index\n- genre: "Drama", "Horror"\n',
  );
});

test.each<Sending>([{}, { piece: 1 }, { piece: 7, lineEnd: '\r\n' }, { piece: 3, lineEnd: '\r' }])(
  'a search that the model asks for is made and answered, however its bytes come: %j',
  async (sending) => {
    const provider = await startProvider(
      streaming(calls(SEARCH), sending),
      streaming(words('Solaris.'), sending),
    );
    const server = await filmServer(provider);
    const { events } = await ask(server);
    expect(answered(events)).toBe('Solaris.');
    expect(events).toEqual(words('Solaris.'));
    expect(provider.asked[1]?.body.messages.slice(2)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'call-0',
            type: 'function',
            function: { name: '_svcSearchInIndex', arguments: JSON.stringify(SEARCH) },
          },
        ],
      },
      { role: 'tool', content: 'Solaris (Drama)', tool_call_id: 'call-0' },
    ]);
  },
);

test('several searches of one round are each reported: progress, history, sources, history', async () => {
  const drama = { index_uid: 'films', q: '', filter: 'genre = Drama' };
  const provider = await startProvider(streaming(calls(SEARCH, drama)), streaming(words('Done.')));
  const server = await filmServer(provider);
  const { events } = await ask(server, { tools: REPORTS.map(tool) });
  expect(provider.asked[0]?.body.tools).toHaveLength(1);
  const found = reports(events);
  const [progress, sources, append] = REPORTS;
  expect(found.map(([name]) => name)).toEqual(
    [progress, append, sources, append].concat([progress, append, sources, append]),
  );
  expect(found[0]?.[1]).toEqual({
    call_id: 'call-0',
    function_name: '_svcSearchInIndex',
    function_arguments: JSON.stringify(SEARCH),
  });
  expect(found[1]?.[1]).toMatchObject({ role: 'assistant', tool_calls: [{ id: 'call-0' }] });
  expect(found[2]?.[1]).toEqual({
    call_id: 'call-0',
    sources: [{ id: 2, title: 'Solaris', genre: 'Drama', owner: 'ada' }],
  });
  expect(found[3]?.[1]).toEqual({
    role: 'tool',
    content: 'Solaris (Drama)',
    tool_call_id: 'call-0',
  });
  expect(found[6]?.[1].call_id).toBe('call-1');
  expect(found[7]?.[1].content).toBe('Solaris (Drama)\nStalker (Drama)');
  expect(events[0]).toMatchObject({ id: 'c-1', object: 'chat.completion.chunk', model: 'm-1' });
  expect(answered(events)).toBe('Done.');
});

test('a call that comes whole with the end of the answer is run, too', async () => {
  const call = {
    id: 'c',
    function: { name: '_svcSearchInIndex', arguments: JSON.stringify(SEARCH) },
  };
  const provider = await startProvider(
    streaming([chunk({ tool_calls: [call] }, 'tool_calls')]),
    streaming(words('Yes.')),
  );
  const server = await filmServer(provider, { source: 'mistral' });
  expect(answered((await ask(server)).events)).toBe('Yes.');
  expect(provider.asked[1]?.body.messages.at(-1)?.content).toBe('Solaris (Drama)');
});

test('the search parameters of the index are those of the search', async () => {
  const all = { index_uid: 'films', q: '', filter: '' };
  const provider = await startProvider(streaming(calls(all)), streaming(words('x')));
  const server = await filmServer(provider);
  await server.write('PATCH', '/indexes/films/settings', {
    sortableAttributes: ['title'],
    chat: { searchParameters: { limit: 1, sort: ['title:desc'] }, documentTemplateMaxBytes: 4 },
  });
  await ask(server);
  expect(provider.asked[1]?.body.messages.at(-1)?.content).toBe('Stal');
});

test('only displayed attributes leave the server', async () => {
  const provider = await startProvider(streaming(calls(SEARCH)), streaming(words('x')));
  const server = await filmServer(provider);
  await server.write('PATCH', '/indexes/films/settings', {
    displayedAttributes: ['title'],
    chat: { documentTemplate: null },
  });
  const { events } = await ask(server, { tools: [tool('_svcSearchSources')] });
  expect(reports(events)[0]?.[1].sources).toEqual([{ title: 'Solaris' }]);
  expect(provider.asked[1]?.body.messages.at(-1)?.content).toBe('title: Solaris\n');
});

test('what the model asks wrongly is told to it, and the conversation goes on', async () => {
  const provider = await startProvider(
    streaming(
      calls('{"index_uid": ', { q: 'x' }, { index_uid: 'films', q: '', filter: 'year > 1990' }),
    ),
    streaming(words('Sorry.')),
  );
  const server = await filmServer(provider);
  const { events } = await ask(server, { tools: [tool('_svcSearchSources')] });
  const answers = provider.asked[1]?.body.messages.slice(-3).map(({ content }) => content) ?? [];
  expect(answers[0]).toContain('EOF while parsing');
  expect(answers[1]).toBe('Missing field `index_uid`');
  expect(answers[2]).toContain('Attribute `year` is not filterable');
  expect(events.filter(({ type }) => type === 'error')).toEqual([]);
  expect(reports(events)).toEqual([['_svcSearchSources', { call_id: 'call-2', sources: [] }]]);
  expect(answered(events)).toBe('Sorry.');
});

test('a search that fails for another reason is told to the model and the client', async () => {
  const gone = { index_uid: 'gone', q: '', filter: '' };
  const provider = await startProvider(streaming(calls(gone)), streaming(words('Sorry.')));
  const server = await filmServer(provider);
  const { events } = await ask(server, { tools: REPORTS.map(tool) });
  const error = events.find(({ type }) => type === 'error');
  expect(error?.error).toEqual({
    type: 'invalid_request',
    code: 'index_not_found',
    message: 'Index `gone` not found.',
    param: null,
    event_id: null,
  });
  expect(provider.asked[1]?.body.messages.at(-1)?.content).toBe(
    'the search tool call failed with Index `gone` not found.',
  );
  expect(reports(events).map(([name]) => name)).not.toContain('_svcSearchSources');
  expect(answered(events)).toBe('Sorry.');
});

test('a model that never stops searching is stopped', async () => {
  const provider = await startProvider(
    ...Array.from({ length: 30 }, () => streaming(calls(SEARCH))),
  );
  const server = await filmServer(provider);
  const { text } = await ask(server);
  expect(provider.asked).toHaveLength(20);
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
});

test('arguments and calls without end are cut off', async () => {
  const long = chunk({ tool_calls: [{ index: 0, function: { arguments: 'x'.repeat(40_000) } }] });
  const many = Array.from({ length: 40 }, (_, index) => chunk({ tool_calls: [{ index }] }));
  const provider = await startProvider(streaming([long, long]), streaming(many));
  const server = await filmServer(provider);
  for (const message of ['the arguments of a tool call are too long', 'too many tool calls']) {
    const { events } = await ask(server);
    expect(events.at(-1)?.error?.message).toContain(message);
  }
});

test('calls of an answer that was cut off are not run', async () => {
  const cut = calls(SEARCH).slice(0, -2);
  const provider = await startProvider(streaming([...cut, chunk({}, 'length')]));
  const server = await filmServer(provider);
  const { events } = await ask(server);
  expect(provider.asked).toHaveLength(1);
  expect(events).toEqual([chunk({}, 'length')]);
});

test('tokens are counted over all rounds, and told to clients that ask', async () => {
  const provider = await startProvider(
    streaming([...calls(SEARCH), usageChunk(10, 1)]),
    streaming([...words('x'), usageChunk(20, 2)]),
  );
  const server = await filmServer(provider);
  const { events } = await ask(server, { stream_options: { include_usage: true } });
  expect(events.at(-1)).toMatchObject({
    choices: [],
    usage: { prompt_tokens: 30, completion_tokens: 3, total_tokens: 33 },
  });
  await server.call('PATCH', '/experimental-features', { metrics: true });
  const metrics = await (await server.send('GET', '/metrics')).text();
  expect(metrics).toMatch(/chat_prompt_tokens_total\{workspace="w",model="gpt-5"\} 30/);
  expect(metrics).toMatch(/chat_completion_tokens_total\{workspace="w",model="gpt-5"\} 3/);
  expect(metrics).toMatch(/chat_tokens_total\{workspace="w",model="gpt-5"\} 33/);
  expect(metrics).toMatch(/chat_searches_total\{type="internal"\} 1/);
});

test('what cannot be answered is refused before the provider is asked', async () => {
  const provider = await startProvider();
  const server = await filmServer(provider);
  const refused = async (more: object) => {
    const { status, refusal } = await ask(server, more);
    return [status, refusal.code, refusal.message];
  };
  const single = 'unimplemented_multi_choice_chat_completions';
  const choices = 'You tried to specify n = 2 but only single choices are supported (n = 1).';
  expect(await refused({ n: 2 })).toEqual([501, single, choices]);
  expect(await refused({ n: 2, stream: false })).toEqual([501, single, choices]);
  expect(await refused({ stream: false, n: 1 })).toEqual([
    501,
    'unimplemented_non_streaming_chat_completions',
    'Non-streamed chat completions is not implemented',
  ]);
  expect(await refused({ tools: [tool('weather')] })).toEqual([
    501,
    'unimplemented_external_function_calling',
    'weather: External functions are not supported yet.',
  ]);
  expect(await refused({ tools: [tool('_svcSearchInIndex')] })).toEqual([
    400,
    'bad_request',
    '_svcSearchInIndex function is already defined.',
  ]);
  expect((await refused({ messages: 'hello' }))[0]).toBe(400);
  expect(provider.asked).toEqual([]);
  const body = { model: 'm', messages: [], stream: true };
  expect(await server.call('POST', '/chats/none/chat/completions', body)).toMatchObject({
    status: 404,
    body: { code: 'chat_not_found', message: 'Chat `none` not found' },
  });
});

test('what a provider says when it refuses is told in its words, without the key', async () => {
  const described = {
    error: { message: 'no such key: secret-key', type: 'auth', code: 'bad_key', param: 'p' },
  };
  const provider = await startProvider(
    refusing(401, JSON.stringify(described)),
    refusing(502, '<html>'),
    streaming([chunk({ content: 'So' }), { error: { message: 'overloaded', type: 'busy' } }]),
    refusing(422, '{"object":"error","message":"wrong","type":"invalid","code":422,"param":null}'),
  );
  const server = await filmServer(provider);
  const errors = [];
  for (let at = 0; at < 4; at++) {
    const { events, text } = await ask(server);
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    errors.push(events.at(-1)?.error);
  }
  const event_id = null;
  expect(errors).toEqual([
    { type: 'auth', code: 'bad_key', message: 'no such key: seXXXX...', param: 'p', event_id },
    { type: 'response_error', code: '502', message: '<html>', param: null, event_id },
    { type: 'busy', code: null, message: 'overloaded', param: null, event_id },
    { type: 'invalid', code: '422', message: 'wrong', param: null, event_id },
  ]);
});

test('a stream that breaks, ends early or is no JSON ends with an error event', async () => {
  const provider = await startProvider(
    streaming([chunk({ content: 'So' })], { ends: false }),
    (response) => {
      response.write('data: {"choices": [\n\n');
      response.end();
    },
    (response) => {
      response.write(`data: ${JSON.stringify(chunk({ content: 'So' }))}\n\n`, () =>
        response.destroy(),
      );
    },
    (response) => {
      response.end(Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0x0a, 0x0a]));
    },
  );
  const server = await filmServer(provider);
  const types = [];
  for (let at = 0; at < 4; at++) types.push((await ask(server)).events.at(-1)?.error?.type);
  expect(types).toEqual([
    'stream_ended',
    'json_deserialize_error',
    'transport_error',
    'invalid_utf8_error',
  ]);
});

test('a provider that is not there, or has no address, is an error event', async () => {
  const server = await filmServer(await startProvider(), { baseUrl: 'http://127.0.0.1:1/v1' });
  expect((await ask(server)).events.at(-1)?.error?.type).toBe('transport_error');
  await server.call('PATCH', '/chats/w/settings', { baseUrl: 'no address' });
  expect((await ask(server)).events.at(-1)?.error?.type).toBe('invalid_argument');
});
