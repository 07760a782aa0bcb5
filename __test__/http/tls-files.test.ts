import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';
import { ConfigError } from '../../src/config/config-error.js';
import { readTls, type TlsConfig } from '../../src/http/tls.js';
import { workFolder } from '../cli/run-cli.js';

const file = (name: string): string => inRoot('__test__', 'fixtures', 'tls', name);

const GIVEN: TlsConfig = {
  sslCertPath: file('server.pem'),
  sslKeyPath: file('server-key.pem'),
  sslAuthPath: file('ca.pem'),
  sslRequireAuth: false,
  sslOcspPath: undefined,
  sslResumption: false,
  sslTickets: false,
};

describe('what no connection could be encrypted with is refused, by the name of its option', () => {
  test.each([
    ['a certificate', { sslCertPath: file('server-key.pem') }, '--ssl-cert-path'],
    ['a key', { sslKeyPath: file('server.pem') }, '--ssl-key-path'],
    ['the key of another certificate', { sslKeyPath: file('client-key.pem') }, 'is not the key of'],
    [
      'an authority, which would refuse everybody',
      { sslAuthPath: file('server-key.pem') },
      '--ssl-auth-path',
    ],
    ['an OCSP answer', { sslOcspPath: file('server.pem') }, '--ssl-ocsp-path'],
    ['a file', { sslKeyPath: file('none.pem') }, '--ssl-key-path: ENOENT'],
  ])('%s', (_, wrong, reason) => {
    const reading = () => readTls({ ...GIVEN, ...wrong });
    expect(reading).toThrow(ConfigError);
    expect(reading).toThrow(reason);
  });

  test('a certificate that is broken, among those of the authorities', () => {
    const path = join(workFolder(), 'authorities.pem');
    writeFileSync(path, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
    expect(() => readTls({ ...GIVEN, sslAuthPath: path })).toThrow('holds no certificate in PEM');
  });
});

test('a pair of certificate and key is taken, with authorities', () => {
  expect(readTls(GIVEN)?.options).toHaveProperty('ca');
});
