import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigError } from '../config/config-error.js';

/** What DER begins with: a sequence. */
const SEQUENCE = 0x30;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Certificate and private key of a server. */
export interface KeyPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Reads the chain and the key, which must belong together. */
export function readKeyPair(certPath: string, keyPath: string): KeyPair {
  const cert = read('--ssl-cert-path', certPath);
  const key = read('--ssl-key-path', keyPath);
  checked(`--ssl-cert-path: ${certPath} holds no certificate in PEM`, () =>
    createSecureContext({ cert }),
  );
  checked(`--ssl-key-path: ${keyPath} holds no private key in PEM without a passphrase`, () =>
    createPrivateKey(key),
  );
  checked(`--ssl-key-path: ${keyPath} is not the key of ${certPath}`, () =>
    createSecureContext({ cert, key }),
  );
  return { cert, key };
}

/** Reads the certificates of authorities. What holds none would refuse every client, and say nothing. */
export function readAuthorities(path: string): Buffer {
  const bytes = read('--ssl-auth-path', path);
  const problem = `--ssl-auth-path: ${path} holds no certificate in PEM`;
  const blocks = bytes.toString('latin1').match(CERTIFICATE) ?? [];
  if (blocks.length === 0) throw new ConfigError(problem);
  for (const block of blocks) checked(problem, () => new X509Certificate(block));
  return bytes;
}

/** Reads an OCSP answer; what is in it is for clients to judge. */
export function readOcspAnswer(path: string): Buffer {
  const bytes = read('--ssl-ocsp-path', path);
  if (bytes[0] === SEQUENCE) return bytes;
  throw new ConfigError(`--ssl-ocsp-path: ${path} is no OCSP answer in DER`);
}

function read(flag: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigError(`${flag}: ${(error as Error).message}`);
  }
}

/** Says what is wrong with a file, and what OpenSSL says about it. */
function checked(problem: string, use: () => unknown): void {
  try {
    use();
  } catch (error) {
    const { message, reason = message } = error as Error & { readonly reason?: string };
    throw new ConfigError(`${problem} (${reason})`);
  }
}
