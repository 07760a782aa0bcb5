// Builds the native addon and its generated glue into native/, when its sources, lock file or compiler changed.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { inRoot, npmTool } from '../paths.mjs';
import { runCommand } from '../run-command.mjs';
import { CargoProgress, countCrates } from './cargo-progress.mjs';
import { buildEnvironment, rustCompiler } from './profile.mjs';
import { filesBelow, fingerprint, readStamp, removeStamp, writeStamp } from './stamp.mjs';

const SOURCES = ['Cargo.toml', 'Cargo.lock', 'build.rs', 'crates', 'scripts/build/profiles'];
const GLUE = ['native/binding.cjs', 'native/binding.d.cts'];
const GLUE_FLAGS = ['--js', 'binding.cjs', '--dts', 'binding.d.cts'];
const MISSING_RUST = `The engine is written in Rust and has to be compiled once, but no Rust compiler was found.
Install the stable toolchain from https://rustup.rs (and a C compiler), then run this command again.`;

/** Tests and benchmarks inside the crates do not change the addon. */
const OUTSIDE_THE_ADDON = /[\\/]crates[\\/][^\\/]+[\\/](tests|benches|examples)[\\/]/;

/** What the addon is made of, as one hash. */
function inputsHash() {
  const files = filesBelow(SOURCES).filter((file) => !OUTSIDE_THE_ADDON.test(file));
  const { version, napi } = JSON.parse(readFileSync(inRoot('package.json'), 'utf8'));
  const flags = process.env.RUSTFLAGS ?? '';
  return fingerprint(files, [
    JSON.stringify(rustCompiler() ?? ''),
    flags,
    process.platform,
    version,
    JSON.stringify(napi),
  ]);
}

/** The glue by content and the binary by name and size, as one hash; empty when something is missing. */
function outputsHash() {
  const glue = filesBelow(GLUE);
  const binaries = readdirSync(inRoot('native')).filter((name) => name.endsWith('.node'));
  if (glue.length < GLUE.length || binaries.length === 0) return '';
  const sizes = binaries.map((name) => `${name} ${statSync(inRoot('native', name)).size}`);
  return fingerprint(glue, sizes);
}

/**
 * Returns whether anything had to be compiled. Throws with the compiler's output when it fails.
 * @param {{force?: boolean, verbose?: boolean, target?: string}} [options] `target`: for another platform than this
 * one, beside what is there; always compiled
 */
export async function buildAddon(options = {}) {
  if (options.target !== undefined) {
    await compileAddon(options);
    return true;
  }
  const inputs = inputsHash();
  const stamp = readStamp('addon');
  const outputs = outputsHash();
  const current = outputs !== '' && stamp?.inputs === inputs && stamp.outputs === outputs;
  if (current && !options.force) return false;
  removeStamp('addon');
  await compileAddon(options);
  // What was edited meanwhile may not have been compiled.
  writeStamp('addon', { inputs, outputs: outputsHash() });
  return true;
}

/**
 * Compiles the addon, whether or not it is up to date. Throws with the compiler's output when it fails.
 * @param {{verbose?: boolean, target?: string, rustFlags?: string, output?: string}} [options] `rustFlags`: instead of
 * those that are set and the recorded profile; `output`: a folder instead of native/
 */
export async function compileAddon(options = {}) {
  const compiler = rustCompiler();
  if (compiler === undefined) throw new Error(MISSING_RUST);
  const { target, output: folder = 'native' } = options;
  const platform = target === undefined ? [] : ['--target', target];
  const env =
    options.rustFlags === undefined
      ? buildEnvironment(compiler, target ? { target } : {})
      : { RUSTFLAGS: options.rustFlags };
  const napi = [npmTool('@napi-rs/cli', 'napi'), 'build', '--platform', '--release', ...GLUE_FLAGS];
  const progress = new CargoProgress(await countCrates('cargo'));
  const args = [...napi, '--output-dir', folder, ...platform];
  const { code, output } = await runCommand(process.execPath, args, {
    env,
    onLine: (line) => (options.verbose ? console.error(line) : progress.read(line)),
  });
  const { compiled, seconds } = progress.end();
  if (code !== 0) throw new Error(`the native addon did not build:\n${output}`);
  console.error(`built the native addon: ${compiled} crates compiled in ${seconds} s`);
}
