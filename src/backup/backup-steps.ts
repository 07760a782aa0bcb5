import type { Progress } from '../tasks/progress.js';

/** Runs the steps of a long task one after another, inside of a step of their own. */
export async function inSteps(
  progress: Progress,
  name: string,
  steps: readonly (readonly [name: string, work: () => Promise<unknown>])[],
): Promise<void> {
  progress.enter(name, steps.length);
  try {
    for (const [step, work] of steps) await progress.during(step, work);
  } finally {
    progress.leave();
  }
}
