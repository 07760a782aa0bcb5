import { ApiError } from '../errors/api-error.js';
import { type Access, FULL_ACCESS, type KeyRing } from './access.js';
import { type Action, grantedActions } from './actions.js';
import type { ApiKeys, ReadyKey } from './api-keys.js';
import { RecentTokens } from './recent-tokens.js';
import { digestOf } from './secret.js';
import type { TenantClaims } from './tenant-claims.js';
import { readTenantToken, refuseEnded, signedClaims } from './tenant-token.js';

/** The routes that tenant tokens open: those that ask for one of these. */
const TENANT_ACTIONS: ReadonlySet<Action> = new Set(['search', 'chatCompletions'] as const);

/** How many tenant tokens are known again at least. */
const REMEMBERED_TOKENS = 1000;
/** Longer ones are rare, and their rules may take much memory. */
const MAX_REMEMBERED_LENGTH = 2048;

/** What the signature of a tenant token proves, for as long as the master key stays the same. */
interface SignedToken {
  readonly apiKeyUid: string;
  readonly claims: TenantClaims;
}

/** The refusal of a token that says no more than that. */
export function invalidKey(): ApiError {
  return new ApiError('invalid_api_key', 'The provided API key is invalid.');
}

/** The refusal of a key that holds the action, but not for all indexes as that would need. */
export class NarrowKeyError extends ApiError {
  constructor() {
    super('invalid_api_key', invalidKey().message);
  }
}

/**
 * Tells what the master key, API keys and tenant tokens may do, from memory: a request with a key
 * costs one digest, one with a tenant token also its signature when that was not seen before. That
 * neither the token nor its key has ended is asked each time.
 */
export class Authorizer implements KeyRing {
  /** The digest of the master key: looked up, like those of the others. */
  readonly #masterDigests: ReadonlySet<string>;
  readonly #keys: ApiKeys;
  readonly #now: () => number;
  readonly #signed = new RecentTokens<SignedToken>(REMEMBERED_TOKENS);

  constructor(masterKey: string, keys: ApiKeys, now: () => number = Date.now) {
    this.#masterDigests = new Set([digestOf(masterKey)]);
    this.#keys = keys;
    this.#now = now;
  }

  accessOf(token: string, actions: readonly Action[]): Access {
    const digest = digestOf(token);
    if (this.#masterDigests.has(digest)) return FULL_ACCESS;
    const key = this.#keys.byDigest(digest);
    if (key !== undefined) return this.#allowed(key, actions);
    return this.#tenantAccess(token, digest, actions);
  }

  #tenantAccess(token: string, digest: string, actions: readonly Action[]): Access {
    const tenantActions = actions.filter((action) => TENANT_ACTIONS.has(action));
    if (tenantActions.length === 0) throw invalidKey();
    const { apiKeyUid, claims } = this.#signed.get(digest) ?? this.#verify(token, digest);
    refuseEnded(claims, this.#now());
    const key = this.#keys.byUid(apiKeyUid);
    if (key === undefined) throw invalidKey();
    const tenantRules = claims.rules;
    return { ...this.#allowed(key, tenantActions), mayCreateIndexes: false, tenantRules };
  }

  /** Checks the signature of a token, and knows it again from then on. */
  #verify(token: string, digest: string): SignedToken {
    const read = readTenantToken(token);
    if (read === undefined) throw invalidKey();
    const { apiKeyUid } = read;
    const signed = { apiKeyUid, claims: signedClaims(read, this.#keys.secretOf(apiKeyUid)) };
    if (token.length <= MAX_REMEMBERED_LENGTH) this.#signed.put(digest, signed);
    return signed;
  }

  /** The access of a key that holds one of the actions and has not ended. */
  #allowed(key: ReadyKey, actions: readonly Action[]): Access {
    if (this.#now() >= key.endsAt) throw invalidKey();
    if (!actions.some((action) => key.granted.has(action))) {
      const wide = grantedActions(key.stored.actions, 'all indexes');
      throw actions.some((action) => wide.has(action)) ? new NarrowKeyError() : invalidKey();
    }
    return key.access;
  }
}
