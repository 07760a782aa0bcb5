import { describe, expect, test } from 'vitest';
import { RejectedIpError } from '../../src/outgoing/rejected-ip-error.js';
import { client, listen, lookupOf, ok } from './loopback.js';
import { LOOPBACK_HOSTS, SPECIAL_HOSTS } from './loopback-names.js';

const ALLOWED = ['127.0.0.1/32'];
const ZONES = ['[fe80::1%25lo]', '[::1%25lo]', '[fe80::1%lo]'];

/** One port of both versions of the loopback, and how many connections have come. */
async function trap() {
  const { port, connections } = await listen(ok);
  const six = await listen(ok, '::1', port).catch(() => undefined);
  return { port, connections: () => connections() + (six?.connections() ?? 0) };
}

describe('nothing connects', () => {
  test.each([...LOOPBACK_HOSTS, ...SPECIAL_HOSTS])('to http://%s', async (host) => {
    const { port, connections } = await trap();
    const call = client([]).fetch(`http://${host}:${port}/`);
    await expect(call).rejects.toBeInstanceOf(RejectedIpError);
    expect(connections()).toBe(0);
  });

  test.each(LOOPBACK_HOSTS)('to https://%s', async (host) => {
    const { port, connections } = await trap();
    const call = client([]).fetch(`https://${host}:${port}/`);
    await expect(call).rejects.toBeInstanceOf(RejectedIpError);
    expect(connections()).toBe(0);
  });

  test.each(ZONES)('to an address with a zone, as %s, which no URL has', async (host) => {
    await expect(client(['any']).fetch(`http://${host}:9/`)).rejects.toThrow(TypeError);
  });

  test.each(['example.org@127.0.0.1', 'example.org:80@127.0.0.1', '127.0.0.1\\@example.org'])(
    'to what comes behind a name of a user, as in %s',
    async (authority) => {
      const { port, connections } = await trap();
      const call = client([]).fetch(`http://${authority}:${port}/`);
      await expect(call).rejects.toThrow();
      expect(connections()).toBe(0);
    },
  );

  test.each([301, 302, 303, 307, 308])('after a redirect with %i', async (status) => {
    for (const host of ['127.0.0.2', '0x7f000002', '[::ffff:127.0.0.2]', 'localhost.']) {
      const secret = await listen(ok, host.startsWith('localhost') ? '::1' : '127.0.0.2').catch(
        () => undefined,
      );
      const location = `//${host}:${secret?.port ?? 9}/secret`;
      const open = await listen((_, response) => response.writeHead(status, { location }).end());
      // The name has only an address that is not allowed.
      const lookup = lookupOf(['::1']);
      const call = client(ALLOWED, { lookup }).fetch(`http://127.0.0.1:${open.port}/`, {
        method: status === 307 || status === 308 ? 'POST' : 'GET',
      });
      await expect(call).rejects.toBeInstanceOf(RejectedIpError);
      expect([open.seen.length, secret?.connections() ?? 0]).toEqual([1, 0]);
    }
  });

  test('after as many allowed redirects as are followed', async () => {
    const secret = await listen(ok, '127.0.0.2');
    let left = 10;
    const open = await listen((_, response) => {
      left -= 1;
      const location = left > 0 ? '/again' : `http://127.0.0.2:${secret.port}/`;
      response.writeHead(302, { location }).end();
    });
    const call = client(ALLOWED).fetch(`http://127.0.0.1:${open.port}/`);
    await expect(call).rejects.toBeInstanceOf(RejectedIpError);
    expect(secret.connections()).toBe(0);
  });
});

describe('a name is worth what its addresses are', () => {
  test.each([
    ['127.0.0.2'],
    ['::1'],
    ['::ffff:127.0.0.2'],
    ['64:ff9b::7f00:2'],
    ['2002:7f00:2::'],
    ['fe80::1'],
    ['fe80::1%lo'],
    ['169.254.169.254'],
    ['::'],
    ['0.0.0.0'],
    ['not an address'],
  ])('%s alone is refused', async (address) => {
    const { port, connections } = await trap();
    const lookup = lookupOf([address]);
    const call = client(ALLOWED, { lookup }).fetch(`http://name.test:${port}/`);
    await expect(call).rejects.toBeInstanceOf(RejectedIpError);
    expect(connections()).toBe(0);
  });

  test('no address at all is refused', async () => {
    const call = client(['any'], { lookup: lookupOf([]) }).fetch('http://name.test/');
    await expect(call).rejects.toBeInstanceOf(RejectedIpError);
  });

  test('one that becomes private is refused with the next connection, and open ones stay where they are', async () => {
    const secret = await listen(ok, '127.0.0.2');
    const open = await listen(ok, '127.0.0.1', secret.port);
    const lookup = lookupOf(['127.0.0.1'], ['127.0.0.2']);
    const caller = client(ALLOWED, { lookup, connectionsPerOrigin: 1 });
    const call = async () => (await caller.fetch(`http://turning.test:${open.port}/`)).text();
    expect([await call(), await call()]).toEqual(['ok', 'ok']);
    expect(open.connections()).toBe(1);
    open.cut();
    await expect
      .poll(() => call().catch((error: unknown) => error), { timeout: 20_000 })
      .toBeInstanceOf(RejectedIpError);
    expect(secret.connections()).toBe(0);
  });

  test('beside private ones it is called at its allowed address, in either version', async () => {
    const { port, seen } = await listen(ok);
    const lookup = lookupOf(['::1', '169.254.169.254', '127.0.0.1', '10.0.0.1']);
    const answer = await client(ALLOWED, { lookup }).fetch(`http://mixed.test:${port}/there`);
    expect(await answer.text()).toBe('ok');
    expect(seen).toEqual(['/there']);
  });
});

describe('allowed networks', () => {
  test.each([
    ['127.0.0.0/8', '127.0.0.1', true],
    ['127.0.0.0/8', '[::ffff:127.0.0.1]', true],
    ['127.0.0.0/8', '2130706433', true],
    ['127.0.0.1/32', '127.1', true],
    ['127.0.0.2/31', '127.0.0.1', false],
    ['0.0.0.0/0', '127.0.0.1', true],
    ['::ffff:127.0.0.0/104', '127.0.0.1', true],
    ['::/0', '127.0.0.1', false],
    ['::1/128', '127.0.0.1', false],
    ['10.0.0.0/8', '127.0.0.1', false],
    ['any', '127.0.0.1', true],
  ])('%s holds http://%s: %s', async (network, host, isAllowed) => {
    const { port, connections } = await listen(ok);
    const call = client([network]).fetch(`http://${host}:${port}/`);
    if (isAllowed) expect(await (await call).text()).toBe('ok');
    else await expect(call).rejects.toBeInstanceOf(RejectedIpError);
    expect(connections()).toBe(isAllowed ? 1 : 0);
  });
});
