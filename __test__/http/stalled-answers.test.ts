import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished, test } from 'vitest';
import { createServer } from '../../src/http/create-server.js';
import { fakeServices } from './fake-services.js';

/** More than the system holds for a connection. */
const LARGE = 64 * 1024 * 1024;

test('a client that takes nothing of a large answer is cut off', async () => {
  const { services } = fakeServices();
  const app = await createServer(services, { payloadSizeLimit: 1024, stalledAnswerMs: 50 });
  app.get('/large', () => Buffer.alloc(LARGE));
  await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const client = connect(port, '127.0.0.1').pause();
  onTestFinished(() => {
    client.destroy();
  });
  const [connection] = (await once(app.server, 'connection')) as [Socket];
  const closed = once(connection, 'close');
  client.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
  await closed;
});
