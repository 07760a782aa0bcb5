// `npm start`: builds what is out of date, then becomes the server. Arguments are the server's own:
// `npm start -- --http-addr 127.0.0.1:7701`.
import { pathToFileURL } from 'node:url';
import { buildAddon } from './build/addon.mjs';
import { buildDist } from './build/dist.mjs';
import { inRoot } from './paths.mjs';

try {
  await buildAddon();
  await buildDist();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
const main = inRoot('dist', 'main.js');
process.argv[1] = main;
await import(pathToFileURL(main).href);
