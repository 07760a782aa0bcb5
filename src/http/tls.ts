import { constants } from 'node:crypto';
import type { SecureServerOptions } from 'node:http2';
import type { Server, TLSSocket } from 'node:tls';
import { readAuthorities, readKeyPair, readOcspAnswer } from './tls-files.js';

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

/** Where sessions are remembered to be resumed. */
export interface SessionStore {
  put(id: string, data: Uint8Array, done: () => void): void;
  get(id: string, found: (data: Uint8Array | undefined) => void): void;
}

/** What servers have in common that resume each other's sessions. */
export interface SharedTls {
  /** The secret of session tickets. */
  readonly ticketKeys: Uint8Array;
  readonly sessions: SessionStore;
}

/** Sessions that are remembered; the oldest are forgotten first. */
const MAX_SESSIONS = 10_000;
/** Tells sessions of this server from those of others. */
const SESSION_CONTEXT = 'serval';

/** Remembers sessions in memory. */
export class RememberedSessions implements SessionStore {
  readonly #sessions = new Map<string, Uint8Array>();

  put(id: string, data: Uint8Array, done: () => void): void {
    const [oldest] = this.#sessions.size < MAX_SESSIONS ? [] : this.#sessions.keys();
    if (oldest !== undefined) this.#sessions.delete(oldest);
    this.#sessions.set(id, data);
    done();
  }

  get(id: string, found: (data: Uint8Array | undefined) => void): void {
    found(this.#sessions.get(id));
  }
}

/** Reads certificate and key; `undefined` when the server is to speak in clear. */
export function readTls(config: TlsConfig, shared?: SharedTls): Tls | undefined {
  const { sslCertPath, sslKeyPath, sslAuthPath, sslOcspPath } = config;
  if (sslCertPath === undefined || sslKeyPath === undefined) return undefined;
  const ocsp = sslOcspPath === undefined ? undefined : readOcspAnswer(sslOcspPath);
  const options: SecureServerOptions = {
    allowHTTP1: true,
    minVersion: 'TLSv1.2',
    ...readKeyPair(sslCertPath, sslKeyPath),
    ...(shared === undefined
      ? {}
      : { ticketKeys: Buffer.from(shared.ticketKeys), sessionIdContext: SESSION_CONTEXT }),
    ...(config.sslTickets ? {} : { secureOptions: constants.SSL_OP_NO_TICKET }),
    ...(sslAuthPath === undefined
      ? {}
      : {
          ca: readAuthorities(sslAuthPath),
          requestCert: true,
          rejectUnauthorized: config.sslRequireAuth,
        }),
  };
  const prepare = (server: Server): void => {
    if (ocsp !== undefined) server.on('OCSPRequest', (_cert, _issuer, done) => done(null, ocsp));
    if (config.sslResumption) {
      rememberSessions(server, shared?.sessions ?? new RememberedSessions());
    }
    if (sslAuthPath !== undefined) refuseForeignCertificates(server);
  };
  return { options, prepare };
}

function rememberSessions(server: Server, sessions: SessionStore): void {
  server.on('newSession', (id, data, done) => sessions.put(id.toString('hex'), data, done));
  server.on('resumeSession', (id, done) => {
    sessions.get(id.toString('hex'), (data) => done(null, data ? Buffer.from(data) : null));
  });
}

/** Who need not show a certificate must still not show one that nobody vouches for. */
function refuseForeignCertificates(server: Server): void {
  server.on('secureConnection', (socket: TLSSocket) => {
    if (!socket.authorized && Object.keys(socket.getPeerCertificate() ?? {}).length > 0) {
      socket.destroy();
    }
  });
}
