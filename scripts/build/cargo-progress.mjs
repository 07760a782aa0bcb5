// Turns cargo's "Compiling" lines into one line of progress: on a terminal it is rewritten in place, elsewhere it is
// printed every few seconds so that a log shows that the build is alive.
import { runCommand } from '../run-command.mjs';

const LOG_INTERVAL_MS = 15_000;

/**
 * Number of crates in the addon's dependency tree; 0 when cargo cannot tell.
 * @param {string} cargo
 */
export async function countCrates(cargo) {
  const args = ['tree', '--package', 'serval', '--edges', 'normal,build', '--prefix', 'none'];
  const { code, output } = await runCommand(cargo, [...args, '--format', '{p}'], { quiet: true });
  if (code !== 0) return 0;
  const lines = output.split('\n').filter((line) => / v\d/.test(line));
  return new Set(lines.map((line) => line.replace(/ \(\*\)$/, ''))).size;
}

export class CargoProgress {
  #compiled = 0;
  #crate = '';
  #started = Date.now();
  #total;
  #out;
  /** @type {NodeJS.Timeout} */
  #timer;

  /**
   * @param {number} total crates, 0 when unknown
   * @param {NodeJS.WriteStream} [out]
   */
  constructor(total, out = process.stderr) {
    this.#total = total;
    this.#out = out;
    this.#timer = setInterval(() => this.#show(), out.isTTY ? 1000 : LOG_INTERVAL_MS);
  }

  /** @param {string} line of cargo's output */
  read(line) {
    const crate = /^\s*Compiling (\S+ v\S+)/.exec(line)?.[1];
    if (crate === undefined) return;
    this.#compiled += 1;
    this.#crate = crate;
    if (this.#out.isTTY) this.#show();
  }

  /** Stops the progress line and returns what was done. */
  end() {
    clearInterval(this.#timer);
    if (this.#out.isTTY) this.#out.write('\r\x1b[2K');
    return { compiled: this.#compiled, seconds: Math.round((Date.now() - this.#started) / 1000) };
  }

  #show() {
    const seconds = Math.round((Date.now() - this.#started) / 1000);
    const of = this.#total ? ` of ${Math.max(this.#total, this.#compiled)}` : '';
    const text = `building the engine: ${this.#compiled}${of} crates, ${seconds} s, ${this.#crate}`;
    this.#out.write(this.#out.isTTY ? `\r\x1b[2K${text.slice(0, 78)}` : `${text}\n`);
  }
}
