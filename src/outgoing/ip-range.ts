import { isIP } from 'node:net';

/** An address as a number of 128 bits; one of IPv4 in its form mapped to IPv6, so each has one. */
export type IpAddress = bigint;

/** A range of addresses: those that share the first bits of one. */
export interface IpRange {
  readonly first: IpAddress;
  readonly bits: number;
}

const BITS = 128;
const IPV4_PREFIX_BITS = 96;
const MAPPED = 0xffffn << 32n;
/** `64:ff9b::/96`, where translators show IPv4 to networks of IPv6 only. */
const TRANSLATED = 0x64_ff9bn << 96n;

/** The address that a text stands for, a zone aside; `undefined` when it is not a literal one. */
export function parseIp(text: string): IpAddress | undefined {
  const bare = text.replace(/^\[(.*)\]$/, '$1');
  const version = isIP(bare);
  if (version === 4) return MAPPED | ipv4Number(bare);
  return version === 6 ? untranslated(ipv6Number(bare.replace(/%.*$/, ''))) : undefined;
}

/** The range that a text in CIDR form stands for; `undefined` when it is not one. */
export function parseRange(text: string): IpRange | undefined {
  const [host = '', length = '', ...rest] = text.split('/');
  const first = parseIp(host);
  if (first === undefined || rest.length > 0 || !/^\d{1,3}$/.test(length)) return undefined;
  const bits = Number(length) + (isIP(host) === 4 ? IPV4_PREFIX_BITS : 0);
  return bits <= BITS ? { first, bits } : undefined;
}

/** Whether an address is in a range; a range wider than IPv4 holds addresses of IPv6 alone. */
export function isInRange(address: IpAddress, { first, bits }: IpRange): boolean {
  if (isIpv4(address) && bits < IPV4_PREFIX_BITS) return false;
  const rest = BigInt(BITS - bits);
  return address >> rest === first >> rest;
}

/** Whether an address is of IPv4, in whatever form it was written. */
export function isIpv4(address: IpAddress): boolean {
  return address >> 32n === MAPPED >> 32n;
}

function untranslated(address: bigint): IpAddress {
  return address >> 32n === TRANSLATED >> 32n ? MAPPED | (address & 0xffff_ffffn) : address;
}

function ipv4Number(text: string): bigint {
  return text.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
}

function ipv6Number(text: string): bigint {
  const [head = '', tail] = text.split('::');
  const before = groups(head);
  const after = groups(tail ?? '');
  const zeros = Array<bigint>(8 - before.length - after.length).fill(0n);
  return [...before, ...zeros, ...after].reduce((sum, group) => (sum << 16n) | group, 0n);
}

/** The groups of 16 bits of a part without `::`; a dotted end is two of them. */
function groups(part: string): bigint[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [BigInt(`0x${group}`)];
    const number = ipv4Number(group);
    return [number >> 16n, number & 0xffffn];
  });
}
