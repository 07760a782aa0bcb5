import { ImportError } from './backup/import-error.js';
import { ConfigError } from './config/config-error.js';
import { ApiError } from './errors/api-error.js';
import { isOfSystem, unexpectedReason } from './errors/system-error.js';

/** Where a server was to listen. */
interface Address {
  readonly host: string;
  readonly port: number;
}

/** What the reasons of the system mean for an address. */
const LISTEN_REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there already',
  EADDRNOTAVAIL: 'the address is none of this machine',
  EACCES: 'the system does not allow this port, as it does not those below 1024',
  ENOTFOUND: 'the name of the host is not known',
};

/** What is said of a failed start: reasons of the user and the system are enough, others need the trace. */
export function startFailure(error: unknown): string {
  if (error instanceof ConfigError || error instanceof ImportError) return error.message;
  if (error instanceof ApiError && error.code !== 'internal') return error.message;
  return unexpectedReason(error);
}

/** Why a server does not listen, in words of the launch options. */
export function listenFailure(error: unknown, { host, port }: Address): unknown {
  if (!isOfSystem(error)) return error;
  const place = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const reason = LISTEN_REASONS[error.code ?? ''] ?? error.message;
  return new ConfigError(`--http-addr: cannot listen at ${place}: ${reason}`);
}

/** Why a data folder is not opened, in words of the launch options. */
export function folderFailure(error: unknown, path: string): unknown {
  const isRefusal = error instanceof ApiError && error.code === 'io_error';
  if (!isRefusal && !isOfSystem(error)) return error;
  return new ConfigError(`--db-path: the data folder ${path} cannot be opened: ${error.message}`);
}
