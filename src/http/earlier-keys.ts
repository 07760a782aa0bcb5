import { hash } from 'node:crypto';
import { sameText } from '../auth/secret.js';

/** What the public key of the earlier shape opens, beside what is open to everyone. */
const PUBLIC_ROUTES = new Set([
  'GET /indexes/:indexUid/search',
  'POST /indexes/:indexUid/search',
  'GET /indexes/:indexUid/documents',
  'GET /indexes/:indexUid/documents/:documentId',
]);

/** The keys of the earlier shape: the master key and two derived from it, stored nowhere. */
export class EarlierKeys {
  readonly private: string;
  readonly public: string;
  readonly #master: string;

  constructor(masterKey: string) {
    this.#master = masterKey;
    this.private = hash('sha256', `${masterKey}-private`, 'hex');
    this.public = hash('sha256', `${masterKey}-public`, 'hex');
  }

  /** Whether a key opens a route, given by its method and path pattern. */
  opens(key: string, method: string, pattern: string): boolean {
    if (sameText(key, this.#master)) return true;
    if (sameText(key, this.private)) return !/^\/keys(\/|$)/.test(pattern);
    return sameText(key, this.public) && PUBLIC_ROUTES.has(`${method} ${pattern}`);
  }
}
