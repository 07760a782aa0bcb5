import { describe, expect, test } from 'vitest';
import { RejectedIpError } from '../../src/outgoing/rejected-ip-error.js';
import { client, listen, lookupOf, ok } from './loopback.js';

describe('what the policy refuses is never reached', () => {
  test('by a redirect to an address', async () => {
    const secret = await listen(ok, '127.0.0.2');
    const open = await listen((_, response) => {
      response.writeHead(307, { location: `http://127.0.0.2:${secret.port}/secret` }).end();
    });
    const call = client(['127.0.0.1/32']).fetch(`http://127.0.0.1:${open.port}/`);
    await expect(call).rejects.toBeInstanceOf(RejectedIpError);
    expect(open.seen).toEqual(['/']);
    expect(secret.seen).toEqual([]);
  });

  test('by a name that means another address the second time', async () => {
    const secret = await listen(ok, '127.0.0.2');
    const open = await listen((_, response) => {
      response.writeHead(302, { location: `http://moving.test:${secret.port}/secret` }).end();
    });
    const lookup = lookupOf(['127.0.0.1'], ['127.0.0.2']);
    const call = client(['127.0.0.1/32'], { lookup }).fetch(`http://moving.test:${open.port}/`);
    await expect(call).rejects.toBeInstanceOf(RejectedIpError);
    expect(secret.seen).toEqual([]);
  });

  test('by files and data', async () => {
    for (const url of ['file:///etc/passwd', 'data:,x', 'ftp://example.org/']) {
      await expect(client(['any']).fetch(url)).rejects.toThrow('is not http or https');
    }
  });
});

test('an allowed address is reached, by itself and by name', async () => {
  const { port, seen } = await listen(ok);
  const allowed = client(['127.0.0.0/8'], { lookup: lookupOf(['127.0.0.1']) });
  expect(await (await allowed.fetch(`http://127.0.0.1:${port}/a`)).text()).toBe('ok');
  expect(await (await allowed.fetch(`http://some.test:${port}/b`)).text()).toBe('ok');
  expect(seen).toEqual(['/a', '/b']);
});

test('of the addresses of a name only the allowed ones are tried', async () => {
  const secret = await listen(ok, '127.0.0.2');
  const lookup = lookupOf(['127.0.0.2', '127.0.0.1']);
  const call = client(['127.0.0.1/32'], { lookup }).fetch(`http://both.test:${secret.port}/`);
  await expect(call).rejects.toThrow('fetch failed');
  expect(secret.seen).toEqual([]);
});

test('a user and a password in an address are sent as the header that stands for them', async () => {
  const { port } = await listen(({ headers }, response) => {
    response.end(headers.authorization ?? 'nobody');
  });
  const said = async (user: string, headers = {}) => {
    const answer = await client(['any']).fetch(`http://${user}127.0.0.1:${port}/`, { headers });
    return answer.text();
  };
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  expect(await said('')).toBe('nobody');
  expect(await said('anna:s%2Fcr%C3%A9t@')).toBe(basic('anna:s/crét'));
  expect(await said('100%:@')).toBe(basic('100%:'));
  expect(await said('anna:x@', { Authorization: 'Bearer key' })).toBe('Bearer key');
});

test('a redirect between allowed addresses is followed', async () => {
  const { port } = await listen((request, response) => {
    if (request.url === '/b') response.end('there');
    else response.writeHead(302, { location: '/b' }).end();
  });
  expect(await (await client(['any']).fetch(`http://127.0.0.1:${port}/a`)).text()).toBe('there');
});

test('a server that never answers fails the request', async () => {
  const { port } = await listen(() => undefined);
  const call = client(['any'], { headersTimeoutMs: 50 }).fetch(`http://127.0.0.1:${port}/`);
  await expect(call).rejects.toMatchObject({ cause: { code: 'UND_ERR_HEADERS_TIMEOUT' } });
});

test('closing ends what is running, and nothing can be sent afterwards', async () => {
  const closing = client(['any']);
  let arrived: () => void = () => undefined;
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const { port } = await listen(() => arrived());
  const call = closing.fetch(`http://127.0.0.1:${port}/`);
  const failure = expect(call).rejects.toThrow();
  await arrival;
  await closing.close();
  await failure;
  await expect(closing.fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('closed');
});
