// How fast documents and queries become vectors in the process, with a model in a folder.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inRoot } from '../scripts/paths.mjs';
import { percentile } from './numbers.mjs';
import { product } from './products.mjs';

const MODEL = 'bench/model';
const QUERIES = 200;

/**
 * Indexes documents without and with an embedder, then searches by meaning. The difference of the two is what embedding
 * takes; the tiny model of the tests shows what everything around a model costs.
 * @param {{documents: number, model?: string}} run `model` is a folder with a sentence transformer
 */
export async function measureEmbedding({
  documents,
  model = inRoot('crates', 'transformer', 'tests', 'fixtures', 'bert'),
}) {
  /** @type {typeof import('../src/index.js')} */
  const { Serval } = await import(pathToFileURL(inRoot('dist', 'index.js')).href);
  const folder = mkdtempSync(join(tmpdir(), 'serval-bench-embed-'));
  const models = join(folder, 'models');
  mkdirSync(join(models, 'bench'), { recursive: true });
  cpSync(model, join(models, MODEL), { recursive: true });
  const db = await Serval.open(join(folder, 'data.sv'), {
    embedders: { localModels: { folder: models } },
  });
  try {
    const list = Array.from({ length: documents }, (_, at) => product(at));
    /** @param {string} uid */
    const indexed = async (uid) => {
      const started = performance.now();
      await (await db.index(uid).addDocuments(list, { primaryKey: 'id' })).wait();
      return (performance.now() - started) / 1000;
    };
    const plainSeconds = await indexed('plain');
    const embedders = { local: { source: 'huggingFace', model: MODEL } };
    const settings = { embedders };
    await (await db.index('embedded').updateSettings(/** @type {never} */ (settings))).wait();
    const embeddedSeconds = await indexed('embedded');
    const millis = [];
    for (let at = 0; at < QUERIES; at += 1) {
      const started = performance.now();
      const text = String(list[at % documents]?.name ?? at);
      await db.index('embedded').search(text, { hybrid: { embedder: 'local', semanticRatio: 1 } });
      millis.push(performance.now() - started);
    }
    return {
      model,
      documents,
      plainSeconds,
      embeddedSeconds,
      documentsPerSecond: Math.round(documents / Math.max(embeddedSeconds - plainSeconds, 1e-3)),
      queryMillis: { p50: percentile(millis, 50), p99: percentile(millis, 99) },
    };
  } finally {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
