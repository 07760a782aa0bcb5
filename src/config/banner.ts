import type { Config } from './options.js';
import { PRODUCT_NAME, PRODUCT_VERSION } from './product.js';

/** What is printed once the server listens; `warning` is about the master key. */
export function banner(config: Config, warning: string | undefined): string {
  const { host, port } = config.httpAddr;
  const scheme = config.sslCertPath === undefined ? 'http' : 'https';
  const url = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const lines = [
    `${PRODUCT_NAME} ${PRODUCT_VERSION}`,
    `address:     ${url}${host === '127.0.0.1' ? ` (${scheme}://localhost:${port})` : ''}`,
    `data:        ${config.dbPath}`,
    `environment: ${config.env}`,
    `master key:  ${config.masterKey === undefined ? 'none, every route is open' : 'set'}`,
    ...(warning === undefined ? [] : ['', `For production: ${warning}`]),
  ];
  return `${lines.join('\n')}\n`;
}
