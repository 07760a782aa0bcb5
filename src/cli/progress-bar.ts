import { shownDuration } from './amounts.js';
import type { Terminal } from './terminal.js';

/** Milliseconds between two drawings. */
const REDRAW_MS = 100;
const BAR_WIDTH = 24;

/** How amounts are shown. */
export type Shown = (amount: number) => string;

/**
 * A line that shows how much is done, how fast, and how long the rest will take. Without a terminal
 * nothing is drawn.
 */
export class ProgressBar {
  readonly #terminal: Terminal;
  readonly #label: string;
  readonly #shown: Shown;
  readonly #start = performance.now();
  readonly #now: () => number;
  #drawn = Number.NEGATIVE_INFINITY;

  constructor(terminal: Terminal, label: string, shown: Shown, now = () => performance.now()) {
    this.#terminal = terminal;
    this.#label = label;
    this.#shown = shown;
    this.#now = now;
    this.#start = now();
  }

  /** Draws, if it is time; `total` is undefined where it is not known. */
  update(done: number, total: number | undefined, more = ''): void {
    const now = this.#now();
    if (now - this.#drawn < REDRAW_MS) return;
    this.#drawn = now;
    const elapsed = Math.max(now - this.#start, 1);
    const text = progressText({ done, total, elapsed, shown: this.#shown });
    const line = [this.#label, text, more].filter((part) => part !== '').join('  ');
    this.#terminal.overwrite([...line].slice(0, this.#terminal.progressColumns - 1).join(''));
  }

  /** Removes the line. */
  end(): void {
    this.#terminal.overwrite('');
  }
}

interface Amounts {
  readonly done: number;
  readonly total: number | undefined;
  /** Milliseconds since the start. */
  readonly elapsed: number;
  readonly shown: Shown;
}

/** `[=====>    ]  45%  12 of 27 MB  3 MB/s  0:05 left`. */
export function progressText({ done, total, elapsed, shown }: Amounts): string {
  const rate = (done / elapsed) * 1000;
  const speed = `${shown(rate)}/s`;
  if (total === undefined) return `${shown(done)}  ${speed}`;
  const share = total === 0 ? 1 : Math.min(done / total, 1);
  const filled = Math.floor(share * BAR_WIDTH);
  const tip = filled < BAR_WIDTH ? '>' : '';
  const bar = `[${('='.repeat(filled) + tip).padEnd(BAR_WIDTH)}]`;
  const left = rate === 0 ? '' : `  ${shownDuration(((total - done) / rate) * 1000)} left`;
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  return `${bar} ${percent}  ${shown(done)} of ${shown(total)}  ${speed}${left}`;
}
