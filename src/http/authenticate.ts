import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.js';
import { type Access, FULL_ACCESS, type KeyRing, seesIndex } from './access.js';
import type { Action } from './actions.js';
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
  }
}

/** The keys of a server that has a master key. */
export interface Keys {
  readonly ring: KeyRing;
  readonly earlier: EarlierKeys;
}

/** Lets requests through only with a key; without keys all routes are open. */
export function authenticate(app: FastifyInstance, keys: Keys | undefined): void {
  app.decorateRequest('access', null);
  if (keys === undefined) return;
  app.addHook('onRequest', (request, _reply, done) => {
    const { actions } = request.routeOptions.config;
    if (actions === undefined || request.is404) {
      done();
      return;
    }
    try {
      request.access =
        request.shape === 'earlier' && request.headers.authorization === undefined
          ? earlierAccess(request, keys.earlier)
          : accessOf(request, keys.ring, actions);
      done();
    } catch (error) {
      done(error as Error);
    }
  });
}

function accessOf(request: FastifyRequest, ring: KeyRing, actions: readonly Action[]): Access {
  const token = bearerToken(request.headers.authorization);
  const access = token === '' ? undefined : ring.accessOf(token, actions);
  if (access === undefined) throw new ApiError('invalid_api_key', INVALID_KEY);
  const { indexUid } = request.params as { indexUid?: string };
  if (indexUid !== undefined && !seesIndex(access, indexUid)) {
    const authorized = JSON.stringify(access.visibleIndexes).replaceAll(',', ', ');
    throw new ApiError(
      'invalid_api_key',
      `The API key cannot acces the index \`${indexUid}\`, authorized indexes are ${authorized}.`,
    );
  }
  return access;
}

function earlierAccess(request: FastifyRequest, keys: EarlierKeys): Access {
  const key = earlierKeyOf(request.headers);
  if (key === undefined) throw new MissingEarlierKey();
  const { url = '' } = request.routeOptions;
  if (keys.opens(key, request.method, url)) return FULL_ACCESS;
  throw new ApiError('invalid_api_key', INVALID_KEY);
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

const INVALID_KEY = 'The provided API key is invalid.';

/** The token of an Authorization header: the first word after `Bearer`, maybe empty. */
function bearerToken(header: string | undefined): string {
  const [scheme, token, ...rest] = header?.split(' ') ?? [];
  if (scheme !== 'Bearer') {
    throw new ApiError(
      'missing_authorization_header',
      'The Authorization header is missing. It must use the bearer authorization method.',
    );
  }
  return rest.length === 0 ? (token ?? '') : '';
}
