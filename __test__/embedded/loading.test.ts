import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { inRoot } from '../../scripts/paths.mjs';

const run = promisify(execFile);
const ESM = inRoot('dist', 'index.js');
const COMMON_JS = inRoot('dist', 'cjs', 'index.js');

/** What a program prints, as JSON, and what it complains of. */
async function ran(type: 'module' | 'commonjs', program: string) {
  const args = [`--input-type=${type}`, '--eval', program];
  // Inside the repository, `serval` is this package.
  const { stdout, stderr } = await run(process.execPath, args, { cwd: inRoot() });
  return { said: JSON.parse(stdout), stderr };
}

const SEARCH = `(async () => {
  const db = await Serval.memory();
  await (await db.index('books').addDocuments([{ id: 1, title: 'Dune' }])).wait();
  const { hits } = await db.index('books').search('dun');
  const error = await db.index('none').search('x').catch((reason) => reason);
  await db.close();
  console.log(JSON.stringify({ hits, code: error.code, known: error instanceof ServalError }));
})();`;
const FOUND = { hits: [{ id: 1, title: 'Dune' }], code: 'index_not_found', known: true };

describe('the package is loaded', () => {
  test('by import', async () => {
    const { said, stderr } = await ran(
      'module',
      `import { Serval, ServalError } from 'serval'; ${SEARCH}`,
    );
    expect({ said, stderr }).toEqual({ said: FOUND, stderr: '' });
  });

  test('by require, without a warning', async () => {
    const { said, stderr } = await ran(
      'commonjs',
      `const { Serval, ServalError } = require('serval'); ${SEARCH}`,
    );
    expect({ said, stderr }).toEqual({ said: FOUND, stderr: '' });
  });

  test('with the same exports either way', async () => {
    const names = 'console.log(JSON.stringify(Object.keys(serval).sort()))';
    const imported = await ran('module', `import * as serval from 'serval'; ${names}`);
    const required = await ran('commonjs', `const serval = require('serval'); ${names}`);

    expect(required.said).toEqual(imported.said);
    expect(imported.said).toEqual([
      'Filter',
      'ImportError',
      'Index',
      'Serval',
      'ServalError',
      'TaskFailedError',
      'and',
      'filter',
      'geoBoundingBox',
      'geoPolygon',
      'geoRadius',
      'not',
      'or',
      'where',
    ]);
  });

  test('without a server: nothing of it is in what is loaded', async () => {
    const program = `
      const { registerHooks, createRequire } = require('node:module');
      const loaded = [];
      require(${JSON.stringify(COMMON_JS)});
      import(${JSON.stringify(ESM)}).then(() => {
        const fs = require('node:fs');
        const path = require('node:path');
        const seen = new Set();
        const visit = (file) => {
          if (seen.has(file)) return;
          seen.add(file);
          const text = fs.readFileSync(file, 'utf8');
          for (const [, to] of text.matchAll(/^import .*?from ["'](\\.[^"']+)["']/gm)) {
            if (!to.endsWith('.cjs')) visit(path.resolve(path.dirname(file), to));
          }
        };
        visit(${JSON.stringify(ESM)});
        const texts = [...seen, ...Object.keys(require.cache)].map((file) => [file, file.endsWith('.node') ? '' : fs.readFileSync(file, 'utf8')]);
        const guilty = texts.filter(([, text]) => /node_modules\\/(fastify|undici|pino)\\//.test(text));
        console.log(JSON.stringify({ files: texts.length, guilty: guilty.map(([file]) => file) }));
      });`;
    const { said } = await ran('commonjs', program);

    expect(said.files).toBeGreaterThan(3);
    expect(said.guilty).toEqual([]);
  });
});

describe('worker threads', () => {
  test('open instances of their own beside that of the main thread', async () => {
    const worker = `
      const { parentPort, workerData } = require('node:worker_threads');
      const { Serval } = require(${JSON.stringify(COMMON_JS)});
      (async () => {
        const db = await Serval.memory();
        const index = db.index('rows');
        await (await index.addDocuments([{ id: workerData, title: 'row ' + workerData }])).wait();
        const { hits } = await index.search('row');
        await db.close();
        parentPort.postMessage(hits);
      })();`;
    const program = `
      const { Worker } = require('node:worker_threads');
      const { Serval } = require(${JSON.stringify(COMMON_JS)});
      const answer = (workerData) => new Promise((resolve, reject) => {
        const worker = new Worker(${JSON.stringify(worker)}, { eval: true, workerData });
        worker.once('message', (hits) => worker.once('exit', () => resolve(hits)));
        worker.once('error', reject);
      });
      (async () => {
        const db = await Serval.memory();
        await (await db.index('rows').addDocuments([{ id: 0, title: 'row 0' }])).wait();
        const found = await Promise.all([answer(1), answer(2)]);
        found.push((await db.index('rows').search('row')).hits);
        await db.close();
        console.log(JSON.stringify(found.map(([hit]) => hit)));
      })();`;
    const { said } = await ran('commonjs', program);

    expect(said).toEqual([1, 2, 0].map((id) => ({ id, title: `row ${id}` })));
  });
});
