import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/**
 * The SHA-256 of a secret, by which it is found in maps and sets: what a look-up takes tells nothing
 * about secrets that are nearly right.
 */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Whether two texts are equal, in a time that does not depend on where they differ. */
export function sameText(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
}

/** The secret of an API key: lower-case hex HMAC-SHA256 of its uid under the master key. */
export function deriveKey(masterKey: string, uid: string): string {
  return createHmac('sha256', masterKey).update(uid).digest('hex');
}
