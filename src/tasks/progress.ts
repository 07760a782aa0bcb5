import type { BatchProgress } from './task.js';

interface Step {
  readonly name: string;
  readonly total: number;
  readonly since: number;
  /** One of a fixed row of steps: what happens inside of it does not end it by parts. */
  readonly isPhase: boolean;
  finished: number;
}

/** How far the running batch is, and how long each of its steps took. */
export class Progress {
  #steps: Step[] = [];
  #trace = new Map<string, number>();
  #percentage = 0;
  #inner: () => BatchProgress['steps'] = () => [];

  /** Enters a step inside of the ones entered before; `leave` ends it. */
  enter(name: string, total = 1): void {
    this.#steps.push({ name, total, since: performance.now(), isPhase: false, finished: 0 });
  }

  /** Enters the first of so many steps that follow one another; `nextPhase` enters the others. */
  enterPhases(name: string, total: number): void {
    this.#steps.push({ name, total, since: performance.now(), isPhase: true, finished: 0 });
  }

  /** Goes on from a step to the one after it, whatever was entered inside of the first. */
  nextPhase(name: string): void {
    while (this.#steps.at(-1)?.isPhase === false) this.leave();
    const { total, finished } = this.#steps.at(-1) ?? { total: 1, finished: 0 };
    this.leave();
    const since = performance.now();
    this.#steps.push({ name, total, since, isPhase: true, finished: finished + 1 });
  }

  /** Counts a part of the innermost step as done. */
  advance(parts = 1): void {
    const step = this.#steps.at(-1);
    if (step !== undefined) step.finished = Math.min(step.total, step.finished + parts);
  }

  /** Ends the innermost step and counts it as a part of the one around it. */
  leave(): void {
    const path = this.#steps.map(({ name }) => name).join(' > ');
    const step = this.#steps.pop();
    if (step === undefined) return;
    const took = performance.now() - step.since;
    this.#trace.set(path, (this.#trace.get(path) ?? 0) + took);
    if (this.#steps.at(-1)?.isPhase === false) this.advance();
  }

  /** Runs work as a step. */
  async during<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.enter(name);
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  /** Shows the steps of somebody else inside of the innermost one, until it is given none. */
  watch(
    inner: (() => BatchProgress['steps']) | undefined,
    trace: readonly (readonly [name: string, took: number])[] = [],
  ): void {
    this.#inner = inner ?? (() => []);
    const path = this.#steps.map(({ name }) => name).join(' > ');
    for (const [name, took] of trace) this.#trace.set(`${path} > ${name}`, took);
  }

  /** The steps as they stand. */
  view(): BatchProgress {
    let scale = 1;
    let done = 0;
    const own = this.#steps.map(({ name, finished, total }) => ({
      currentStep: name,
      finished,
      total,
    }));
    const steps = [...own, ...this.#inner()];
    for (const { finished, total } of steps) {
      scale *= Math.max(total, 1);
      done += finished / scale;
    }
    // Between two steps, and where steps come again, less may be under way than was done.
    this.#percentage = Math.max(this.#percentage, done * 100);
    return { steps, percentage: this.#percentage };
  }

  /** How long each ended step took, as text. */
  trace(): Record<string, string> {
    const entries = [...this.#trace].map(([path, took]) => [path, `${took.toFixed(2)}ms`]);
    return Object.fromEntries(entries);
  }
}
