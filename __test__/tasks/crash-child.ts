import { Serval } from '../../src/serval.js';
import { type EngineControls, memoryEngine } from './memory-engine.js';

const [path = '', moment = 'after'] = process.argv.slice(2);
const controls: EngineControls = { batches: [] };
const db = await Serval.open(path, { engine: memoryEngine(controls) });
await (await db.index('movies').addDocuments([{ id: 1 }])).wait();

const die = () => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise<void>(() => undefined);
};
if (moment === 'after') controls.afterCommit = die;
else controls.beforeBatch = die;
await db.index('movies').addDocuments([{ id: 2 }, { id: 3 }]);
setInterval(() => undefined, 1000);
