/** The keys of somebody who may write to a bucket. */
export interface AccessKeys {
  readonly accessKey: string;
  readonly secretKey: string;
}

/** A role that is taken with a token that somebody else renews. */
export interface WebIdentity {
  readonly roleArn: string;
  readonly tokenFile: string;
  /** Who gives the role; AWS in the region of the bucket when left out. */
  readonly stsUrl?: string;
}

/** A bucket of S3 that snapshots are put into. */
export interface BucketOptions {
  /** Address of the service. */
  readonly url: string;
  readonly region: string;
  readonly name: string;
  /** What the names of snapshots start with, a folder; may be empty. */
  readonly prefix: string;
  readonly access: AccessKeys | WebIdentity;
  /** Compression of snapshots, from 0 to 9. */
  readonly compressionLevel: number;
  readonly partBytes: number;
  /** Parts that are uploaded at once. */
  readonly maxInFlightParts: number;
  /** How long a signed request may take. */
  readonly signatureSeconds: number;
  /** Sends requests; that of the platform when left out. */
  readonly fetch?: typeof fetch;
}
