// Ends with 0 when the server in this container answers /health. The address is that of the variable that the server
// reads; whether connections are encrypted may be said in other places, so both ways are tried.
import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';

// Set and empty, it counts as not set, as for the server.
const address = process.env.SVC_HTTP_ADDR || '127.0.0.1:7700';
const port = address.slice(address.lastIndexOf(':') + 1);
const host = /^(0\.0\.0\.0|\[::\])?:/.test(address)
  ? '127.0.0.1'
  : address.slice(0, -port.length - 1).replace(/^\[(.*)\]$/, '$1');

// Whose certificate it is does not matter: the server is asked on its own machine.
const options = { host, port, path: '/health', rejectUnauthorized: false, timeout: 1200 };

/** The status that the server answers; rejects when there is no answer. */
const statusOf = (get) =>
  new Promise((resolve, reject) => {
    const request = get(options, (response) => resolve(response.statusCode));
    request.on('timeout', () => request.destroy(new Error('no answer')));
    request.on('error', reject);
  });

try {
  const status = await statusOf(httpGet).catch(() => statusOf(httpsGet));
  process.exit(status === 200 ? 0 : 1);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
