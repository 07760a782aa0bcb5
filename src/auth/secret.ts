import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** The SHA-256 of a text, by which secrets are compared and looked up. */
export function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** A digest as the key of a map. */
export function digestText(digest: Buffer): string {
  return digest.toString('latin1');
}

/** Whether two texts are equal, in a time that does not depend on where they differ. */
export function sameText(a: string, b: string): boolean {
  return timingSafeEqual(digestOf(a), digestOf(b));
}

/** The secret of an API key: lower-case hex HMAC-SHA256 of its uid under the master key. */
export function deriveKey(masterKey: string, uid: string): string {
  return createHmac('sha256', masterKey).update(uid).digest('hex');
}
