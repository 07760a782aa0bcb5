// Installs the tarballs as a user would, into an empty folder of a machine without a compiler, and uses the package in
// each of the ways that its README promises.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installPackages } from '../install-packages.mjs';
import { inRoot, npmTool } from '../paths.mjs';
import { freePort } from '../server-process.mjs';
import { bareEnvironment, startNpx } from './bare-machine.mjs';

const run = promisify(execFile);
const START_TIMEOUT_MS = 60_000;

const EMBED = `
const db = await Serval.memory();
const films = db.index('films');
const task = await films.addDocuments([{ id: 1, title: 'The Godfather' }, { id: 2, title: 'Alien' }]);
await task.wait();
const { hits } = await films.search('godfahter');
console.log(hits[0].title);
await db.close();`;

/** Compiles as an ES module and as CommonJS, which read the types from different files. */
const TYPED = `import { Serval, type SearchParameters } from 'serval';
interface Film { id: number; title: string; year: number }
export async function titleOf(words: string): Promise<string | undefined> {
  const films = (await Serval.open('./data.sv')).index<Film>('films');
  const parameters: SearchParameters<Film> = { limit: 3, sort: ['year:desc'] };
  // @ts-expect-error: the documents have no such attribute
  await films.search(words, { sort: ['yaer:desc'] });
  const { hits } = await films.search(words, parameters);
  return hits[0]?.title;
}
`;

/** An empty folder into which the package was installed. */
export class Trial {
  #home;

  /**
   * @param {string} home
   * @param {NodeJS.ProcessEnv} env
   * @param {string[]} asked
   */
  constructor(home, env, asked) {
    this.#home = home;
    this.folder = join(home, 'program');
    this.env = env;
    /** Paths that npm asked the registry for. */
    this.asked = asked;
  }

  /**
   * Installs `serval` by its name from the tarballs.
   * @param {string} tarballs absolute
   */
  static async install(tarballs) {
    const home = mkdtempSync(join(tmpdir(), 'serval-install-'));
    const env = bareEnvironment(home);
    const asked = await installPackages(tarballs, join(home, 'program'), env);
    return new Trial(home, env, asked);
  }

  /** Names of the packages that were installed. */
  packages() {
    const names = readdirSync(join(this.folder, 'node_modules'));
    return names.filter((name) => !name.startsWith('.')).sort();
  }

  /**
   * What a program that embeds the engine prints, once with `import` and once with `require`.
   * @param {'import' | 'require'} way
   */
  async embed(way) {
    const [name, code] =
      way === 'import'
        ? ['embed.mjs', `import { Serval } from 'serval';${EMBED}`]
        : ['embed.cjs', `const { Serval } = require('serval');\n(async () => {${EMBED}\n})();`];
    return this.#program(name, code);
  }

  /**
   * Checks the types of a program against those of the package, read as an ES module and as CommonJS.
   * @returns {Promise<string>} what the compiler says: nothing
   */
  async checkTypes() {
    for (const name of ['typed.mts', 'typed.cts']) writeFileSync(join(this.folder, name), TYPED);
    const types = ['--types', 'node', '--typeRoots', inRoot('node_modules', '@types')];
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', ...types];
    const args = [npmTool('typescript', 'tsc'), ...flags, 'typed.mts', 'typed.cts'];
    return run(process.execPath, args, { cwd: this.folder }).then(
      ({ stdout }) => stdout,
      (error) => String(error.stdout || error),
    );
  }

  /** Starts the server with `npx serval`, and returns what a search over HTTP answers. */
  async serve() {
    const url = `http://127.0.0.1:${await freePort()}`;
    const args = ['serval', '--http-addr', url.slice('http://'.length), '--db-path', 'data.sv'];
    const server = startNpx(args, { cwd: this.folder, env: this.env });
    try {
      await this.#healthy(url, server);
      return await searchOverHttp(url);
    } finally {
      await server.stop();
    }
  }

  /** What `npx serval search` prints of the data that the server left. */
  async command() {
    const args = ['serval', 'search', 'films', 'alien', '--db-path', 'data.sv', '--json'];
    const search = startNpx(args, { cwd: this.folder, env: this.env });
    while (!search.hasEnded()) await new Promise((resolve) => setTimeout(resolve, 20));
    await search.stop();
    return search.output();
  }

  remove() {
    rmSync(this.#home, { recursive: true, force: true });
  }

  /**
   * @param {string} name
   * @param {string} code
   */
  async #program(name, code) {
    writeFileSync(join(this.folder, name), code);
    const options = { cwd: this.folder, env: this.env };
    const { stdout } = await run(process.execPath, [name], options);
    return stdout;
  }

  /**
   * @param {string} url
   * @param {import('./bare-machine.mjs').Started} server
   */
  async #healthy(url, server) {
    for (const end = Date.now() + START_TIMEOUT_MS; Date.now() < end; ) {
      const answer = await fetch(`${url}/health`).catch(() => undefined);
      if (answer?.ok) return;
      if (server.hasEnded()) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`npx serval did not start:\n${server.output()}`);
  }
}

/** @param {string} url */
async function searchOverHttp(url) {
  /** @type {(path: string, body?: unknown) => Promise<any>} */
  const ask = async (path, body) => {
    const init = { method: 'POST', body: JSON.stringify(body) };
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(url + path, body === undefined ? {} : { ...init, headers });
    return answer.json();
  };
  const { taskUid } = await ask('/indexes/films/documents', [{ id: 1, title: 'Alien' }]);
  for (;;) {
    const { status } = await ask(`/tasks/${taskUid}`);
    if (status === 'succeeded') break;
    if (status === 'failed') throw new Error('the documents were not added');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return ask('/indexes/films/search', { q: 'alein' });
}
