import { readFile } from 'node:fs/promises';
import { ApiError } from '../../errors/api-error.js';
import { refusal, unreachable } from './bucket-errors.js';
import type { BucketOptions, WebIdentity } from './bucket-options.js';
import type { Credentials } from './s3-signature.js';
import { xmlText } from './xml-element.js';

/** Keys that were lent are given back this long before they end, in milliseconds. */
const SPARE_MS = 5 * 60_000;

/** Gives the keys to sign with; keys that are lent are asked for when the ones before end. */
export class BucketCredentials {
  readonly #options: BucketOptions;
  #lent: { readonly credentials: Credentials; readonly until: number } | undefined;

  constructor(options: BucketOptions) {
    this.#options = options;
  }

  /** The keys of this moment. */
  async current(signal: AbortSignal): Promise<Credentials> {
    const { access } = this.#options;
    if ('secretKey' in access) return access;
    if (this.#lent === undefined || Date.now() > this.#lent.until - SPARE_MS) {
      this.#lent = await this.#borrow(access, signal);
    }
    return this.#lent.credentials;
  }

  async #borrow({ roleArn, tokenFile, stsUrl }: WebIdentity, signal: AbortSignal) {
    const { region, fetch: send = fetch } = this.#options;
    const token = await readFile(tokenFile, 'utf8').catch((error: Error) => {
      const text = `The web identity token cannot be read: ${error.message}`;
      throw new ApiError('invalid_s3_snapshot_parameters', text);
    });
    const body = new URLSearchParams({
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: roleArn,
      RoleSessionName: 'serval-snapshots',
      WebIdentityToken: token.trim(),
    });
    const url = stsUrl ?? `https://sts.${region}.amazonaws.com/`;
    const answer = await send(url, { method: 'POST', body, signal, redirect: 'error' }).catch(
      (error: unknown) => {
        signal.throwIfAborted();
        throw unreachable(error);
      },
    );
    const text = await answer.text();
    if (!answer.ok) throw refusal(answer.status, text);
    return lentIn(text);
  }
}

function lentIn(xml: string) {
  const accessKey = xmlText(xml, 'AccessKeyId');
  const secretKey = xmlText(xml, 'SecretAccessKey');
  const sessionToken = xmlText(xml, 'SessionToken');
  const until = Date.parse(xmlText(xml, 'Expiration') ?? '');
  const isWhole = accessKey !== undefined && secretKey !== undefined && sessionToken !== undefined;
  if (!isWhole || Number.isNaN(until)) {
    throw new ApiError('s3_snapshot_server_error', 'The role was given without its keys.');
  }
  return { credentials: { accessKey, secretKey, sessionToken }, until };
}
