import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../indexes/make-folder.js';
import { EmbeddingError } from './embedding-error.js';
import type { Fetch } from './embedding-request.js';
import { downloadFile, type RemoteFile } from './model-download.js';

/** The hub that is asked when no other is set. */
const DEFAULT_HUB = 'https://huggingface.co';
/** The state of a model that is used when none is named. */
const DEFAULT_REVISION = 'main';
/** Branches, tags and commits; none leads out of a folder. */
const REVISION = /^\w[\w.-]*(\/\w[\w.-]*)*$/;
/** Folder of downloaded models in the folder of models. */
const CACHE = '.hub';
/** What an unfinished download is called at the end. */
const PART = '.part';
/** An unfinished download this old has been given up. */
const ABANDONED_MS = 24 * 3600 * 1000;
const MEBIBYTE = 2 ** 20;
const MAX_TEXT_BYTES = 128 * MEBIBYTE;
const MAX_WEIGHT_BYTES = 16 * 1024 * MEBIBYTE;

const NEEDED = [
  { name: 'config.json', maxBytes: MAX_TEXT_BYTES },
  { name: 'tokenizer.json', maxBytes: MAX_TEXT_BYTES },
  { name: 'model.safetensors', maxBytes: MAX_WEIGHT_BYTES },
];
const OPTIONAL = ['modules.json', 'sentence_bert_config.json'].map((name) => ({
  name,
  maxBytes: MAX_TEXT_BYTES,
}));

/** A hub and where its models are kept. */
export interface ModelHubOptions {
  /** Folder of models. */
  readonly models: string;
  /** Address of the hub, without a slash at the end. */
  readonly url?: string | undefined;
  readonly fetch: Fetch;
}

/** Downloads models from a hub and keeps them. */
export class ModelHub {
  readonly #cache: string;
  readonly #url: string;
  readonly #fetch: Fetch;

  constructor({ models, url = DEFAULT_HUB, fetch }: ModelHubOptions) {
    this.#cache = join(models, CACHE);
    this.#url = url.replace(/\/+$/, '');
    this.#fetch = fetch;
  }

  /**
   * The folder of a model, downloaded unless it is there. A branch stays at the commit that it was
   * at when it was downloaded. The folder appears when all of its files are complete.
   */
  async folderOf(
    model: string,
    revision: string = DEFAULT_REVISION,
    signal: AbortSignal,
  ): Promise<string> {
    if (!REVISION.test(revision)) {
      throw new EmbeddingError('user', `\`${revision}\` is no revision of a model`);
    }
    const folder = join(this.#cache, encodeURIComponent(model), encodeURIComponent(revision));
    if (existsSync(folder)) return folder;
    await makeFolder(join(folder, '..'));
    await this.#removeAbandoned();
    const part = join(this.#cache, `${randomUUID()}${PART}`);
    await mkdir(part);
    try {
      await this.#download(model, revision, part, signal);
      await rename(part, folder).catch((error: unknown) => {
        // Another process may have been faster.
        if (!existsSync(folder)) throw error;
      });
    } finally {
      await rm(part, { recursive: true, force: true });
    }
    return folder;
  }

  async #download(
    model: string,
    revision: string,
    folder: string,
    signal: AbortSignal,
  ): Promise<void> {
    let commit = revision;
    const get = async ({ name, maxBytes }: { name: string; maxBytes: number }) => {
      const url = `${this.#url}/${model}/resolve/${encodeURIComponent(commit)}/${name}`;
      const file: RemoteFile = { url, path: join(folder, name), maxBytes };
      const found = await downloadFile(this.#fetch, file, signal);
      // All files come from the commit that the first one came from.
      commit = found?.commit ?? commit;
      return found !== undefined;
    };
    for (const file of NEEDED) {
      if (await get(file)) continue;
      const reason = `model \`${model}\` has no \`${file.name}\` at revision \`${revision}\`, or is not open to everybody`;
      throw new EmbeddingError('user', reason);
    }
    for (const file of OPTIONAL) await get(file);
    const pooling = await poolingFolder(folder);
    await mkdir(join(folder, pooling));
    await get({ name: `${pooling}/config.json`, maxBytes: MAX_TEXT_BYTES });
  }

  async #removeAbandoned(): Promise<void> {
    for (const name of await readdir(this.#cache)) {
      const path = join(this.#cache, name);
      if (!name.endsWith(PART)) continue;
      // It may end, and go, while it is looked at.
      const found = await stat(path).catch(() => undefined);
      if (found === undefined || Date.now() - found.mtimeMs <= ABANDONED_MS) continue;
      await rm(path, { recursive: true, force: true });
    }
  }
}

/** The folder that `modules.json` gives to pooling. */
async function poolingFolder(folder: string): Promise<string> {
  const usual = '1_Pooling';
  const path = join(folder, 'modules.json');
  if (!existsSync(path)) return usual;
  let modules: unknown;
  try {
    modules = JSON.parse(await readFile(path, 'utf8'));
  } catch {
    throw new EmbeddingError('runtime', 'the `modules.json` of the model is not JSON');
  }
  const list = Array.isArray(modules) ? (modules as { type?: unknown; path?: unknown }[]) : [];
  const named = list.find(({ type }) => String(type).endsWith('.Pooling'))?.path;
  return typeof named === 'string' && /^\w+$/.test(named) ? named : usual;
}
