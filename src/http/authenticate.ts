import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Access, FULL_ACCESS, indexRefusal, type KeyRing } from '../auth/access.js';
import type { Action } from '../auth/actions.js';
import type { ApiKeys } from '../auth/api-keys.js';
import { invalidKey, NarrowKeyError } from '../auth/authorize.js';
import { PRODUCT_NAME } from '../config/product.js';
import { ApiError } from '../errors/api-error.js';
import { earlierKeyOf } from './api-shape.js';
import type { EarlierKeys } from './earlier-keys.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once a key was checked; without it everything is allowed. */
    access: Access | null;
  }
  interface FastifyContextConfig {
    /** Actions of which a key must hold one; a route without them is open to everyone. */
    actions?: readonly Action[];
    /** Actions of which a key must hold all, beside one of `actions`. */
    alsoActions?: readonly Action[];
  }
}

const SCHEME = 'Bearer';

/** The keys of a server that has a master key. */
export interface Keys {
  readonly ring: KeyRing;
  readonly apiKeys: ApiKeys;
  readonly earlier: EarlierKeys;
}

/** Lets requests through only with a key; without keys all routes but those of keys are open. */
export function authenticate(app: FastifyInstance, keys: Keys | undefined): void {
  app.decorateRequest('access', null);
  app.addHook('onRequest', (request, _reply, done) => {
    const { actions } = request.routeOptions.config;
    if (actions === undefined || request.is404) {
      done();
      return;
    }
    try {
      request.access = accessTo(request, keys, actions);
      done();
    } catch (error) {
      done(error as Error);
    }
  });
}

/** The refusal of the routes of keys on a server without a master key. */
export function missingMasterKey(): ApiError {
  return new ApiError(
    'missing_master_key',
    `${PRODUCT_NAME} is running without a master key. To access this API endpoint, you must have set a master key at launch.`,
  );
}

/** The access that the sender of a request has to actions; throws when it has none. */
export function accessTo(
  request: FastifyRequest,
  keys: Keys | undefined,
  actions: readonly Action[],
): Access {
  if (keys === undefined) {
    if (actions.some((action) => action.startsWith('keys.'))) throw missingMasterKey();
    return FULL_ACCESS;
  }
  return request.shape === 'earlier' && request.headers.authorization === undefined
    ? earlierAccess(request, keys.earlier)
    : accessOf(request, keys.ring, actions);
}

/** Whether the sender of a request has access to actions at this moment. */
export function mayCall(
  request: FastifyRequest,
  keys: Keys | undefined,
  actions: readonly Action[],
): boolean {
  try {
    accessTo(request, keys, actions);
    return true;
  } catch {
    return false;
  }
}

function accessOf(request: FastifyRequest, ring: KeyRing, actions: readonly Action[]): Access {
  const token = bearerToken(request.headers.authorization);
  if (token === '') throw invalidKey();
  const access = explained(request, () => ring.accessOf(token, actions));
  for (const also of request.routeOptions.config.alsoActions ?? []) ring.accessOf(token, [also]);
  const { indexUid } = request.params as { indexUid?: string };
  const refusal = indexUid === undefined ? undefined : indexRefusal(access, indexUid);
  if (refusal !== undefined) throw new ApiError('invalid_api_key', refusal);
  return access;
}

/** Metrics tell of all indexes; a key for some of them is told why it is refused. */
function explained(request: FastifyRequest, access: () => Access): Access {
  try {
    return access();
  } catch (error) {
    if (!(error instanceof NarrowKeyError) || request.routeOptions.url !== '/metrics') throw error;
    const reason = 'The API key for the `/metrics` route must allow access to all indexes.';
    throw new ApiError('invalid_api_key', `${error.message} ${reason}`);
  }
}

function earlierAccess(request: FastifyRequest, keys: EarlierKeys): Access {
  const key = earlierKeyOf(request.headers);
  if (key === undefined) throw new MissingEarlierKey();
  const { url = '' } = request.routeOptions;
  if (keys.opens(key, request.method, url)) return FULL_ACCESS;
  throw invalidKey();
}

/** In the earlier shape a missing key is answered like a wrong one. */
class MissingEarlierKey extends ApiError {
  constructor() {
    super('missing_authorization_header', 'The X-Svc-API-Key header is missing.');
  }

  override get status(): number {
    return 403;
  }
}

/** The token of an Authorization header: the first word after `Bearer`, maybe empty. */
function bearerToken(header: string | undefined): string {
  if (header === SCHEME) return '';
  if (header?.startsWith(`${SCHEME} `) !== true) {
    throw new ApiError(
      'missing_authorization_header',
      'The Authorization header is missing. It must use the bearer authorization method.',
    );
  }
  const token = header.slice(SCHEME.length + 1);
  return token.includes(' ') ? '' : token;
}
