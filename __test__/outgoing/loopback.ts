import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, isIPv6, type LookupFunction } from 'node:net';
import { onTestFinished } from 'vitest';
import { createIpPolicy } from '../../src/outgoing/ip-policy.js';
import {
  createOutgoingClient,
  type OutgoingClient,
  type OutgoingOptions,
} from '../../src/outgoing/outgoing-client.js';

/** Answers everything with `ok`. */
export const ok: RequestListener = (_, response) => {
  response.end('ok');
};

/** A real server of the loopback, with what has reached it: connections and paths of requests. */
export async function listen(answer: RequestListener, host = '127.0.0.1', port = 0) {
  const seen: string[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    seen.push(request.url ?? '');
    answer(request, response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const cut = () => server.closeAllConnections();
  const { port: bound } = server.address() as AddressInfo;
  return { port: bound, seen, cut, connections: () => connections };
}

/** A client for the networks given; it ends with the test. */
export function client(networks: readonly string[], options?: OutgoingOptions): OutgoingClient {
  const made = createOutgoingClient(createIpPolicy(networks), options);
  onTestFinished(() => made.close());
  return made;
}

/** Finds the addresses of each name in turn, the last of them from then on. */
export function lookupOf(...answers: readonly string[][]): LookupFunction {
  let asked = 0;
  return (_, __, callback) => {
    const addresses = answers[Math.min(asked, answers.length - 1)] ?? [];
    asked += 1;
    callback(
      null,
      addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 })),
    );
  };
}
