import { constants } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { SecureServerOptions } from 'node:http2';
import type { Server, TLSSocket } from 'node:tls';
import { ConfigError } from '../config/config-error.js';

/** What the launch options say about encryption. */
export interface TlsConfig {
  readonly sslCertPath: string | undefined;
  readonly sslKeyPath: string | undefined;
  readonly sslAuthPath: string | undefined;
  readonly sslRequireAuth: boolean;
  readonly sslOcspPath: string | undefined;
  readonly sslResumption: boolean;
  readonly sslTickets: boolean;
}

/** Encryption as a server needs it: its options, and what it does on events. */
export interface Tls {
  readonly options: SecureServerOptions;
  readonly prepare: (server: Server) => void;
}

/** Sessions that are remembered to be resumed; the oldest are forgotten first. */
const MAX_SESSIONS = 10_000;

/**
 * Reads certificate and key; `undefined` when the server is to speak in clear. Servers that share
 * `ticketKeys` take each other's tickets.
 */
export function readTls(config: TlsConfig, ticketKeys?: Uint8Array): Tls | undefined {
  const { sslCertPath, sslKeyPath, sslAuthPath, sslOcspPath } = config;
  if (sslCertPath === undefined || sslKeyPath === undefined) return undefined;
  const ocsp = sslOcspPath === undefined ? undefined : read('--ssl-ocsp-path', sslOcspPath);
  const options: SecureServerOptions = {
    allowHTTP1: true,
    minVersion: 'TLSv1.2',
    cert: read('--ssl-cert-path', sslCertPath),
    key: read('--ssl-key-path', sslKeyPath),
    ...(ticketKeys === undefined ? {} : { ticketKeys: Buffer.from(ticketKeys) }),
    ...(config.sslTickets ? {} : { secureOptions: constants.SSL_OP_NO_TICKET }),
    ...(sslAuthPath === undefined
      ? {}
      : {
          ca: read('--ssl-auth-path', sslAuthPath),
          requestCert: true,
          rejectUnauthorized: config.sslRequireAuth,
        }),
  };
  const prepare = (server: Server): void => {
    if (ocsp !== undefined) server.on('OCSPRequest', (_cert, _issuer, done) => done(null, ocsp));
    if (config.sslResumption) rememberSessions(server);
    if (sslAuthPath !== undefined) refuseForeignCertificates(server);
  };
  return { options, prepare };
}

function read(flag: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigError(`${flag}: ${(error as Error).message}`);
  }
}

function rememberSessions(server: Server): void {
  const sessions = new Map<string, Buffer>();
  server.on('newSession', (id, data, done) => {
    const [oldest] = sessions.size < MAX_SESSIONS ? [] : sessions.keys();
    if (oldest !== undefined) sessions.delete(oldest);
    sessions.set(id.toString('hex'), data);
    done();
  });
  server.on('resumeSession', (id, done) => done(null, sessions.get(id.toString('hex')) ?? null));
}

/** Who need not show a certificate must still not show one that nobody vouches for. */
function refuseForeignCertificates(server: Server): void {
  server.on('secureConnection', (socket: TLSSocket) => {
    if (!socket.authorized && Object.keys(socket.getPeerCertificate() ?? {}).length > 0) {
      socket.destroy();
    }
  });
}
