import type { Config } from '../../config/options.js';
import type { BucketOptions } from './bucket-options.js';

/** The bucket that the launch options name, if they name one: then they name all of it. */
export function bucketOf(config: Config, send: typeof fetch): BucketOptions | undefined {
  const { s3BucketUrl: url, s3BucketRegion: region, s3BucketName: name } = config;
  if (url === undefined || region === undefined || name === undefined) return undefined;
  return {
    url,
    region,
    name,
    prefix: config.s3SnapshotPrefix ?? '',
    access: accessOf(config),
    compressionLevel: config.experimentalS3CompressionLevel,
    partBytes: config.experimentalS3MultipartPartSize,
    maxInFlightParts: config.experimentalS3MaxInFlightParts,
    signatureSeconds: config.experimentalS3SignatureDurationSeconds,
    fetch: send,
  };
}

function accessOf(config: Config): BucketOptions['access'] {
  const { experimentalS3RoleArn: roleArn, experimentalS3StsUrl: stsUrl } = config;
  if (roleArn === undefined) {
    return { accessKey: config.s3AccessKey ?? '', secretKey: config.s3SecretKey ?? '' };
  }
  const tokenFile = config.experimentalS3WebIdentityTokenFile ?? '';
  return { roleArn, tokenFile, ...(stsUrl === undefined ? {} : { stsUrl }) };
}
