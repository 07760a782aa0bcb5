import { BlockList } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createIpPolicy } from '../../src/outgoing/ip-policy.js';

describe('without allowed networks', () => {
  const policy = createIpPolicy();

  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '100.63.255.255',
    '172.32.0.1',
    '192.0.1.1',
    '223.255.255.255',
    '2606:4700::1111',
    '[2606:4700::1111]',
    '2001:4860:4860::8888',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ])('the global address %s may be called', (address) => {
    expect(policy.allows(address)).toBe(true);
  });

  test.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.31.255.255',
    '192.0.2.1',
    '192.168.0.1',
    '198.19.0.1',
    '203.0.113.9',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '[::1]',
    '0:0:0:0:0:0:0:1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:0a00:0001',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    '3fff::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
  ])('the special address %s may not', (address) => {
    expect(policy.allows(address)).toBe(false);
  });

  test.each(['', 'localhost', '127.1', '0x7f.0.0.1', '1.2.3.4.5', '1.2.3.4/32'])(
    'what is not a literal address, as %j, may not',
    (text) => {
      expect(policy.allows(text)).toBe(false);
    },
  );
});

test('an allowed network adds its addresses and no others', () => {
  const policy = createIpPolicy(['10.1.0.0/16', 'fd00:1::/32']);
  expect(['10.1.0.0', '10.1.255.255', '::ffff:10.1.2.3', 'fd00:1::9'].map(policy.allows)).toEqual(
    Array(4).fill(true),
  );
  expect(['10.0.255.255', '10.2.0.0', '127.0.0.1', 'fd00:2::1'].map(policy.allows)).toEqual(
    Array(4).fill(false),
  );
  expect(policy.allows('8.8.8.8')).toBe(true);
});

test('every address of one version does not allow the other', () => {
  expect(createIpPolicy(['::/0']).allows('127.0.0.1')).toBe(false);
  expect(createIpPolicy(['::/0']).allows('::1')).toBe(true);
  expect(createIpPolicy(['0.0.0.0/0']).allows('127.0.0.1')).toBe(true);
  expect(createIpPolicy(['0.0.0.0/0']).allows('::1')).toBe(false);
});

test('any allows every address, but only addresses', () => {
  const policy = createIpPolicy(['any']);
  expect(['127.0.0.1', '::1', 'fe80::1'].map(policy.allows)).toEqual([true, true, true]);
  expect(policy.allows('localhost')).toBe(false);
});

test.each(['10.0.0.0', '10.0.0.0/33', '::/129', 'x/8', '10.0.0.0/8/8', '10.0.0.0/-1'])(
  'what is not a network, as %s, is refused',
  (network) => {
    expect(() => createIpPolicy([network])).toThrow(RangeError);
  },
);

test('allowed ranges of any length agree with those of the platform', () => {
  let state = 1;
  const random = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
  const byte = () => random(256);
  for (let round = 0; round < 3000; round += 1) {
    const [a, b, c, d] = [10, byte(), byte(), byte()];
    const bits = 8 + random(25);
    const other = random(2) === 0 ? `10.${b}.${c}.${byte()}` : `10.${b}.${byte()}.${byte()}`;
    const list = new BlockList();
    list.addSubnet(`${a}.${b}.${c}.${d}`, bits, 'ipv4');
    const policy = createIpPolicy([`${a}.${b}.${c}.${d}/${bits}`]);
    expect([other, bits, policy.allows(other)]).toEqual([other, bits, list.check(other, 'ipv4')]);
  }
});
