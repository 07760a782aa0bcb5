import { ApiError } from '../errors/api-error.js';
import { type Access, FULL_ACCESS, type KeyRing } from './access.js';
import { type Action, grantedActions } from './actions.js';
import type { ApiKeys, ReadyKey } from './api-keys.js';
import { digestOf } from './secret.js';
import { readTenantToken, verifyTenantToken } from './tenant-token.js';

/** The routes that tenant tokens open: those that ask for one of these. */
const TENANT_ACTIONS: ReadonlySet<Action> = new Set(['search', 'chatCompletions'] as const);

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
 * costs one digest, one with a tenant token also its signature.
 */
export class Authorizer implements KeyRing {
  /** The digest of the master key: looked up, like those of the others. */
  readonly #masterDigests: ReadonlySet<string>;
  readonly #keys: ApiKeys;
  readonly #now: () => number;

  constructor(masterKey: string, keys: ApiKeys, now: () => number = Date.now) {
    this.#masterDigests = new Set([digestOf(masterKey)]);
    this.#keys = keys;
    this.#now = now;
  }

  accessOf(token: string, actions: readonly Action[]): Access {
    const digest = digestOf(token);
    if (this.#masterDigests.has(digest)) return FULL_ACCESS;
    const key = this.#keys.byDigest(digest);
    return key === undefined ? this.#tenantAccess(token, actions) : this.#allowed(key, actions);
  }

  #tenantAccess(token: string, actions: readonly Action[]): Access {
    const tenantActions = actions.filter((action) => TENANT_ACTIONS.has(action));
    const read = tenantActions.length === 0 ? undefined : readTenantToken(token);
    if (read === undefined) throw invalidKey();
    const { rules } = verifyTenantToken(read, this.#keys.secretOf(read.apiKeyUid), this.#now());
    const key = this.#keys.byUid(read.apiKeyUid);
    if (key === undefined) throw invalidKey();
    return { ...this.#allowed(key, tenantActions), mayCreateIndexes: false, tenantRules: rules };
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
