import { createHmac } from 'node:crypto';
import { ApiError } from '../errors/api-error.js';
import { readUuid } from '../validation/uuid.js';
import { sameText } from './secret.js';
import { claimsOf, type TenantClaims } from './tenant-claims.js';

/** The algorithms that tokens may be signed with, and their hashes. */
const HASHES: ReadonlyMap<string, string> = new Map([
  ['HS256', 'sha256'],
  ['HS384', 'sha384'],
  ['HS512', 'sha512'],
]);
/** Algorithms that a token may name and is refused for; any other name makes it no token. */
const OTHER_ALGORITHMS: ReadonlySet<string> = new Set([
  'ES256',
  'ES384',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'EdDSA',
]);

/** The parts of a text that has the form of a tenant token; nothing of it is proven yet. */
export interface TenantToken {
  readonly algorithm: string;
  /** The key that it says it was signed with. */
  readonly apiKeyUid: string;
  /** The text under the signature. */
  readonly signed: string;
  readonly signature: string;
  /** The claims as JSON. */
  readonly payload: string;
}

/** Takes a bearer token apart; `undefined` when it is no tenant token at all. */
export function readTenantToken(token: string): TenantToken | undefined {
  const [header, payload, signature, ...more] = token.split('.');
  if (header === undefined || payload === undefined || signature === undefined) return undefined;
  const headerJson = decodePart(header);
  const payloadJson = decodePart(payload);
  if (more.length > 0 || headerJson === undefined || payloadJson === undefined) return undefined;
  const algorithm = member(headerJson, 'alg') ?? '';
  if (!HASHES.has(algorithm) && !OTHER_ALGORITHMS.has(algorithm)) return undefined;
  const uid = readUuid(member(payloadJson, 'apiKeyUid') ?? '');
  if ('problem' in uid) return undefined;
  const signed = `${header}.${payload}`;
  return { algorithm, apiKeyUid: uid.uuid, signed, signature, payload: payloadJson };
}

/** The claims of a token that was signed with a secret; throws `invalid_api_key` for any other. */
export function signedClaims(token: TenantToken, secret: string): TenantClaims {
  const hash = HASHES.get(token.algorithm);
  if (hash === undefined) throw undecodable('InvalidAlgorithm');
  const expected = createHmac(hash, secret).update(token.signed).digest('base64url');
  if (!sameText(expected, token.signature)) throw undecodable('InvalidSignature');
  const read = claimsOf(token.payload);
  if ('problem' in read) throw undecodable(`JSON error: ${read.problem}`);
  return read.claims;
}

/** Throws `invalid_api_key` when a token has ended. */
export function refuseEnded({ endsAt }: TenantClaims, nowMs: number): void {
  const now = Math.floor(nowMs / 1000);
  if (endsAt === undefined || now <= endsAt) return;
  throw new ApiError(
    'invalid_api_key',
    `Tenant token expired. Was valid up to \`${endsAt}\` and we're now \`${now}\`.`,
  );
}

function undecodable(reason: string): ApiError {
  return new ApiError('invalid_api_key', `Could not decode tenant token, ${reason}.`);
}

/** The text of a part; `undefined` when it is not written as tokens write it. */
function decodePart(part: string): string | undefined {
  const bytes = Buffer.from(part, 'base64url');
  return bytes.toString('base64url') === part ? bytes.toString('utf8') : undefined;
}

/** A text member of a JSON object, if it is there. */
function member(json: string, name: string): string | undefined {
  try {
    const value: unknown = (JSON.parse(json) as Record<string, unknown> | null)?.[name];
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
