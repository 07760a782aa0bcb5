// Whose code is in the addon, and under which licences: the text that ships with it.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inRoot } from '../paths.mjs';

/** The file beside the addon in each platform package. */
export const CRATE_LICENCES = 'THIRD-PARTY-LICENSES.txt';

/** @typedef {{id: string, name: string, version: string, license: string | null, repository: string | null, manifest_path: string, source: string | null}} Crate */
/** @typedef {{id: string, deps: {pkg: string, dep_kinds: {kind: string | null}[]}[]}} Node */

/**
 * Texts that a crate's author wants to be passed on, such as LICENSE-MIT and NOTICE.
 * @param {Crate} crate
 */
function licenceTexts({ manifest_path }) {
  const folder = dirname(manifest_path);
  const files = readdirSync(folder).filter((name) =>
    /^(un)?(licen[cs]e|copying|notice)/i.test(name),
  );
  const texts = files.sort().flatMap((name) => {
    try {
      return [readFileSync(join(folder, name), 'utf8').trim()];
    } catch {
      // A folder of licences: its crate is named with its licence and its address.
      return [];
    }
  });
  return texts.join('\n\n');
}

/**
 * The crates that are linked into the addon, on any platform, by name.
 * @returns {Crate[]}
 */
function linkedCrates() {
  const args = ['metadata', '--format-version', '1', '--locked'];
  const output = execFileSync('cargo', args, { cwd: inRoot(), maxBuffer: 1 << 28 });
  /** @type {{packages: Crate[], resolve: {nodes: Node[], root: string}}} */
  const { packages, resolve } = JSON.parse(output.toString());
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const linked = new Set([resolve.root]);
  for (const id of linked) {
    for (const { pkg, dep_kinds } of nodes.get(id)?.deps ?? []) {
      // A crate that is built for the build itself, or for tests, is in nothing that ships.
      if (dep_kinds.some(({ kind }) => kind === null)) linked.add(pkg);
    }
  }
  const crates = packages.filter(({ id, source }) => linked.has(id) && source !== null);
  return crates.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The names, versions and licences of all crates in the addon; equal texts stand there once. */
export function crateLicences() {
  /** @type {Map<string, string[]>} */
  const byText = new Map();
  for (const crate of linkedCrates()) {
    const text = licenceTexts(crate);
    const address = crate.repository ?? `https://crates.io/crates/${crate.name}`;
    const line = `${crate.name} ${crate.version} (${crate.license ?? 'see its text'}) ${address}`;
    byText.set(text, [...(byText.get(text) ?? []), line]);
  }
  const parts = [...byText].map(([text, lines]) => `${lines.join('\n')}\n\n${text}\n`);
  return `The addon contains the following crates.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
