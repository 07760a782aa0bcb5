import { type Options, option, optional } from './option.js';
import { byteSizeWithin, integer, integerWithin, text, webUrl } from './readers.js';

const MEBIBYTE = 2 ** 20;
/** The bounds that S3 sets for parts, and for how long a signature may be valid. */
const PART_BYTES = [5 * MEBIBYTE, 5 * 1024 * MEBIBYTE] as const;
const SIGNATURE_SECONDS = [1, 7 * 24 * 3600] as const;

/** Where snapshots go when they do not stay on this machine. */
export const BUCKET_OPTIONS = {
  s3BucketUrl: option(
    webUrl,
    undefined,
    'Address of the service; with a bucket, snapshots go there and nowhere else',
  ),
  s3BucketRegion: optional('Region of the bucket'),
  s3BucketName: optional('Name of the bucket'),
  s3SnapshotPrefix: option<string | undefined>(
    text,
    undefined,
    'What the names of snapshots in the bucket start with, a folder',
    { mayBeEmpty: true },
  ),
  s3AccessKey: optional('Access key; or give a role', { isSecret: true }),
  s3SecretKey: optional('Secret key that goes with the access key', { isSecret: true }),
  experimentalS3RoleArn: optional('Role that is taken instead of keys'),
  experimentalS3WebIdentityTokenFile: optional(
    'File with the token that the role is given for, read whenever it is needed',
  ),
  experimentalS3StsUrl: option(webUrl, undefined, 'Address of the service that gives the role', {
    shownDefault: 'that of AWS in the region',
  }),
  experimentalS3MaxInFlightParts: option(integer(1), 10, 'Parts that are uploaded at once'),
  experimentalS3CompressionLevel: option(
    integerWithin(0, 9),
    0,
    'Compression of these snapshots, from 0 (none, fast) to 9 (smallest)',
  ),
  experimentalS3SignatureDurationSeconds: option(
    integerWithin(...SIGNATURE_SECONDS),
    28_800,
    'Seconds that each signed request may take',
  ),
  experimentalS3MultipartPartSize: option(
    byteSizeWithin(...PART_BYTES),
    375 * MEBIBYTE,
    'Size of a part, such as 100MiB',
    { shownDefault: '375 MiB' },
  ),
} satisfies Options;
