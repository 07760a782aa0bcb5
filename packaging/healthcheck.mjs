// Ends with 0 when the server in this container answers /health. It reads the same variables as the server.
import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';

const { SVC_HTTP_ADDR = '127.0.0.1:7700', SVC_SSL_CERT_PATH = '' } = process.env;
const isEncrypted = SVC_SSL_CERT_PATH !== '';
const port = SVC_HTTP_ADDR.slice(SVC_HTTP_ADDR.lastIndexOf(':') + 1);
const host = /^(0\.0\.0\.0|\[::\]):/.test(SVC_HTTP_ADDR)
  ? '127.0.0.1'
  : SVC_HTTP_ADDR.slice(0, -port.length - 1).replace(/^\[(.*)\]$/, '$1');

// Whose certificate it is does not matter: the server is asked on its own machine.
const options = { host, port, path: '/health', rejectUnauthorized: false, timeout: 2500 };
const request = (isEncrypted ? httpsGet : httpGet)(options, (response) => {
  process.exit(response.statusCode === 200 ? 0 : 1);
});
request.on('timeout', () => request.destroy(new Error('no answer')));
request.on('error', ({ message }) => {
  console.error(message);
  process.exit(1);
});
