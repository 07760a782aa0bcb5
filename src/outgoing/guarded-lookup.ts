import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { IpPolicy } from './ip-policy.js';
import { RejectedIpError } from './rejected-ip-error.js';

/**
 * A lookup that finds only addresses that a policy allows. The connection is made to what is found
 * here and the name is not asked for again, so an answer that changes afterwards has no effect.
 */
export function guardedLookup(policy: IpPolicy, lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null && error !== undefined) return callback(error, []);
      const [first, ...rest] = (found as LookupAddress[]).filter((one) =>
        policy.allows(one.address),
      );
      if (first === undefined) return callback(new RejectedIpError(hostname), []);
      if (options.all === true) return callback(null, [first, ...rest]);
      return callback(null, first.address, first.family);
    });
  };
}
