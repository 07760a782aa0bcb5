import { createHash, createHmac } from 'node:crypto';

/** Who asks. */
export interface Credentials {
  readonly accessKey: string;
  readonly secretKey: string;
  /** Goes with keys that were lent. */
  readonly sessionToken?: string;
}

/** A request that is to carry its signature in its address. */
export interface UnsignedRequest {
  readonly method: string;
  /** Scheme and host, such as `https://s3.example.org`. */
  readonly origin: string;
  /** Path in encoded form, from the slash on. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly region: string;
  readonly at: Date;
  readonly validSeconds: number;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

/**
 * The address of a request, signed by the fourth version of the signatures of AWS. The body is not
 * part of it, so that a stream need not be read twice.
 */
export function signedUrl(request: UnsignedRequest, credentials: Credentials): string {
  const { method, origin, path, region, at } = request;
  const moment = `${at.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
  const day = moment.slice(0, 8);
  const scope = `${day}/${region}/s3/aws4_request`;
  const query = canonicalQuery({
    ...request.query,
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': `${credentials.accessKey}/${scope}`,
    'X-Amz-Date': moment,
    'X-Amz-Expires': String(request.validSeconds),
    'X-Amz-SignedHeaders': 'host',
    ...(credentials.sessionToken === undefined
      ? {}
      : { 'X-Amz-Security-Token': credentials.sessionToken }),
  });
  const { host } = new URL(origin);
  const canonical = [method, path, query, `host:${host}`, '', 'host', 'UNSIGNED-PAYLOAD'];
  const text = [ALGORITHM, moment, scope, sha256(canonical.join('\n'))].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${credentials.secretKey}`,
  );
  const signature = hmac(key, text).toString('hex');
  return `${origin}${path}?${query}&X-Amz-Signature=${signature}`;
}

/** A text as it may stand in a part of a path or a query: everything but the plainest is encoded. */
export function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (character) => {
    return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  });
}

function canonicalQuery(query: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(query).map(([name, value]) => [encoded(name), encoded(value)]);
  const byName = ([a = '']: string[], [b = '']: string[]) => (a < b ? -1 : Number(a > b));
  return pairs
    .sort(byName)
    .map((pair) => pair.join('='))
    .join('&');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
