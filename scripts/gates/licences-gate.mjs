// Holds every dependency that ships with the package to the licences allowed in deny.toml: the crates that are linked
// into the addon, and the npm packages in the bundle or installed with it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUNDLED_PACKAGES } from '../build/dist.mjs';
import { inRoot } from '../paths.mjs';
import { runCommand } from '../run-command.mjs';
import { action, PASSED } from './gate.mjs';

/** The list `allow` of section `licenses` of deny.toml. */
function allowedLicences() {
  const text = readFileSync(inRoot('deny.toml'), 'utf8');
  const list = /\[licenses\][\s\S]*?^allow = \[([^\]]*)\]/m.exec(text)?.[1] ?? '';
  return new Set([...list.matchAll(/"([^"]+)"/g)].map(([, name]) => String(name)));
}

/** Packages that may have one licence more: list `exceptions` of section `licenses`. */
function exceptions() {
  const text = readFileSync(inRoot('deny.toml'), 'utf8');
  const entries = text.matchAll(/\{ allow = \["([^"]+)"\], crate = "([^"]+)" \}/g);
  return new Map([...entries].map(([, licence, crate]) => [String(crate), String(licence)]));
}

/**
 * Whether an SPDX expression can be met with allowed licences only: `OR` needs one side, `AND` both, and the old form
 * `MIT/Apache-2.0` means `OR`.
 * @param {string} expression
 * @param {Set<string>} allowed
 */
export function isAllowed(expression, allowed) {
  const tokens = expression.replaceAll('/', ' OR ').match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  /** @returns {boolean} */
  const either = () => {
    let ok = both();
    while (tokens[at] === 'OR') {
      at += 1;
      ok = both() || ok;
    }
    return ok;
  };
  const both = () => {
    let ok = licence();
    while (tokens[at] === 'AND') {
      at += 1;
      ok = licence() && ok;
    }
    return ok;
  };
  const licence = () => {
    let name = tokens[at++] ?? '';
    if (name === '(') {
      const ok = either();
      at += 1;
      return ok;
    }
    if (tokens[at] === 'WITH') {
      name += ` WITH ${tokens[at + 1]}`;
      at += 2;
    }
    return allowed.has(name);
  };
  return either() && at === tokens.length;
}

/** Name, version and licence of every crate in the addon's dependency tree. */
async function crateLicences() {
  const args = ['tree', '--package', 'serval', '--edges', 'normal', '--prefix', 'none', '--locked'];
  const { code, output } = await runCommand('cargo', [...args, '--format', '{p}|{l}'], {
    quiet: true,
  });
  if (code !== 0) throw new Error(`cargo tree failed:\n${output}`);
  return lines(output).map((line) => {
    const [name = '', licence = ''] = line.replace(/ \(\*\)$/, '').split('|');
    return { name: String(name.split(' (')[0]), licence };
  });
}

/** Name, version and licence of every npm package that an install brings along or that is in the bundle. */
function packageLicences() {
  const { packages } = JSON.parse(readFileSync(inRoot('package-lock.json'), 'utf8'));
  const installed = Object.entries(packages)
    .filter(([path, entry]) => path !== '' && !entry.dev && !entry.optional)
    .map(([path]) => JSON.parse(readFileSync(join(inRoot(path), 'package.json'), 'utf8')))
    .map(({ name, version, license }) => ({ name, version, licence: String(license ?? '') }));
  /** @type {{name: string, version: string, licence: string}[]} */
  const bundled = JSON.parse(readFileSync(BUNDLED_PACKAGES, 'utf8'));
  return [...installed, ...bundled].map(({ name, version, licence }) => ({
    name: `${name} v${version}`,
    licence,
  }));
}

/** @param {string} text */
const lines = (text) => text.split('\n').filter((line) => / v\d.*\|/.test(line));

export const licencesGate = action('licences', async () => {
  const allowed = allowedLicences();
  const all = [...(await crateLicences()), ...packageLicences()];
  const excepted = exceptions();
  const refused = all.filter(({ name, licence }) => {
    const more = excepted.get(name.split(' ')[0] ?? '');
    // An expression may end with "or any later version".
    const also = more === undefined ? allowed : new Set([...allowed, more, `${more}+`]);
    return !isAllowed(licence, also);
  });
  const unique = [...new Set(refused.map(({ name, licence }) => `${name}: ${licence || 'none'}`))];
  if (unique.length > 0) throw new Error(`licences not in deny.toml:\n${unique.join('\n')}`);
  console.log(`${all.length} dependencies, all under allowed licences`);
  return PASSED;
});
