import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { LogTarget } from '../../logs/log-target.js';
import { Logs } from '../../logs/logs.js';
import { RequestMetrics } from '../../metrics/request-metrics.js';
import { keysOf } from '../create-server.js';
import { addRoutes } from '../route.js';
import { readRoutes } from '../routes/all-routes.js';
import { loopMeasures } from '../routes/metrics.js';
import { SearchQueue } from '../search-queue.js';
import { frameServer } from '../server-frame.js';
import { readTls, type SessionStore } from '../tls.js';
import { FollowedState } from './followed-state.js';
import { connectionOf, takesConnections } from './given-connections.js';
import { LoopIndexes } from './loop-indexes.js';
import { loopServices } from './loop-services.js';
import type { LoopStart, ToLoop, ToPrimary } from './messages.js';
import { PassOn } from './pass-on.js';
import { PrimaryCalls } from './primary-calls.js';
import { isRead } from './read-requests.js';
import { SharedCounts } from './shared-counts.js';

// A thread of the server: it answers requests that read, and passes all others on to the primary.
await run(parentPort as MessagePort, workerData as LoopStart);

async function run(primary: MessagePort, start: LoopStart): Promise<void> {
  const { options } = start;
  const tell = (message: ToPrimary) => primary.postMessage(message);
  const logs = new Logs({
    target: LogTarget.of('trace'),
    mode: 'json',
    write: (line) => tell({ kind: 'log', line }),
  });
  const counts = new SharedCounts(start.counts);
  const calls = new PrimaryCalls(primary);
  const indexes = new LoopIndexes(calls);
  const state = new FollowedState(start.state, counts, options.masterKey, {
    moved: (folders) => indexes.keep(folders),
    logLevel: (level) => logs.setTarget(LogTarget.of(level)),
  });
  const services = loopServices(state, indexes, calls, options);
  const requests = new RequestMetrics();
  const queue = new SearchQueue({ ...options.searchQueue, room: counts });
  const { masterKey, apiShape, payloadSizeLimit } = options;
  const keys =
    masterKey === undefined || state.keys === undefined ? undefined : keysOf(masterKey, state.keys);
  const app = frameServer(
    { logs, requests, features: services.features, keys, endStreams: [] },
    {
      apiShape,
      tls: readTls(options.tls, { ticketKeys: options.ticketKeys, sessions: sessionsOf(calls) }),
      isGivenConnections: true,
    },
  );
  addRoutes(app, readRoutes(services, queue), payloadSizeLimit);
  await app.ready();
  const passOn = new PassOn((descriptor) => tell({ kind: 'connection', descriptor }));
  app.server.removeAllListeners('request');
  app.server.on('request', (request, reply) => {
    const isMine =
      state.catchUp() && state.answersSearches && isRead(request.method, request.url ?? '');
    if (isMine) app.routing(request, reply);
    else passOn.pass(request, reply);
  });
  const take = takesConnections(app.server);
  primary.on('message', (message: ToLoop) => {
    switch (message.kind) {
      case 'connection':
        take(connectionOf(message.descriptor, options.tls.sslCertPath === undefined));
        return;
      case 'result':
        calls.resolve(message.call, message.value);
        return;
      case 'failure':
        calls.reject(message.call, message.error);
        return;
      case 'measure':
        tell({ kind: 'measures', measures: loopMeasures(queue, requests) });
        return;
      case 'close':
        void app.close().then(() => {
          passOn.close();
          tell({ kind: 'closed' });
        });
    }
  });
  tell({ kind: 'ready' });
}

/** The sessions of all loops, which the primary remembers. */
function sessionsOf(calls: PrimaryCalls): SessionStore {
  return {
    put: (id, data, done) => void calls.call('putSession', [id, data]).then(done),
    get: (id, found) => void calls.call('session', [id]).then(found),
  };
}
