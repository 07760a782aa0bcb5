import { expect, test } from 'vitest';
import { createServer } from '../../src/http/create-server.js';
import type { Services } from '../../src/http/services.js';
import { LongJson } from '../../src/long-json/long-json.js';
import { fakeServices } from './fake-services.js';

/** More than the event loop reads itself. */
const STOP_WORDS = Array.from({ length: 20_000 }, (_, number) => `word${number}`);

test('other requests are answered while long settings are read', async () => {
  const reading = new LongJson();
  let read: () => void = () => undefined;
  let isAsked: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const run: Services['longJson']['run'] = async (name, bytes, ...given) => {
    isAsked();
    await new Promise<void>((resolve) => {
      read = resolve;
    });
    return reading.run(name, bytes, ...given);
  };
  const longJson = { run };
  const services = { ...fakeServices().services, longJson };
  const app = await createServer(services, { payloadSizeLimit: 2 ** 20 });
  const change = app.inject({
    method: 'PATCH',
    url: '/indexes/films/settings',
    payload: { stopWords: STOP_WORDS },
  });
  await asked;
  expect((await app.inject('/health')).statusCode).toBe(200);
  read();
  expect((await change).statusCode).toBe(202);
  await app.close();
});
