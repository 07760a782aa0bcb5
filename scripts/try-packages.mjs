// Installs tarballs in an empty folder and uses the package in every way it promises, on the platform that runs this:
//
//   node scripts/try-packages.mjs FOLDER
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { Trial } from './package/trial.mjs';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node scripts/try-packages.mjs FOLDER');
  process.exit(2);
}

const trial = await Trial.install(resolve(folder));
try {
  console.log(`installed ${trial.packages().join(' and ')}`);
  assert.equal(trial.packages().length, 2);
  assert.equal(await trial.embed('import'), 'The Godfather\n');
  assert.equal(await trial.embed('require'), 'The Godfather\n');
  console.log('embedded, by import and by require');
  assert.equal(await trial.checkTypes(), '');
  console.log('types checked, of both');
  const { hits } = await trial.serve();
  assert.deepEqual(hits, [{ id: 1, title: 'Alien' }]);
  console.log('served and searched over HTTP');
  assert.match(await trial.command(), /"Alien"/);
  console.log('searched by command');
} finally {
  trial.remove();
}
