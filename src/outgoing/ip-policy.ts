import { type IpRange, isInRange, isIpv4, parseIp, parseRange } from './ip-range.js';

/** Which addresses may be called. */
export interface IpPolicy {
  /** Whether a literal address may be called; what is not an address may not. */
  allows(address: string): boolean;
}

/** Networks of IPv4 that are not reachable from everywhere, as IANA lists them, and multicast. */
const SPECIAL_IPV4 = ranges([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

/** The part of IPv6 that is for global use; loopback, local and multicast addresses are outside. */
const GLOBAL_IPV6 = ranges(['2000::/3']);

/** Parts of it that are not: protocols (with Teredo), documentation, and 6to4, which hides IPv4. */
const SPECIAL_IPV6 = ranges(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

/**
 * The policy that allows global addresses, and those of the networks given: CIDR ranges, or `any`
 * for every address. Throws a `RangeError` for anything else.
 */
export function createIpPolicy(networks: readonly string[] = []): IpPolicy {
  if (networks.includes('any')) return { allows: (address) => parseIp(address) !== undefined };
  const allowed = ranges(networks);
  return {
    allows(address) {
      const ip = parseIp(address);
      if (ip === undefined) return false;
      const isIn = (range: IpRange): boolean => isInRange(ip, range);
      if (allowed.some(isIn)) return true;
      if (isIpv4(ip)) return !SPECIAL_IPV4.some(isIn);
      return GLOBAL_IPV6.some(isIn) && !SPECIAL_IPV6.some(isIn);
    },
  };
}

function ranges(texts: readonly string[]): readonly IpRange[] {
  return texts.map((text) => {
    const range = parseRange(text);
    if (range === undefined) throw new RangeError(`\`${text}\` is not a network in CIDR form`);
    return range;
  });
}
