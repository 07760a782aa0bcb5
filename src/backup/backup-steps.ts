import type { EngineIndex } from '../native/engine-index.js';
import type { IndexRow } from '../native/store.js';
import type { BatchContext } from '../tasks/batch-context.js';
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

/** Does the same with one index after another, and counts those that are done. */
export async function withEachIndex(
  rows: readonly IndexRow[],
  { registry, progress }: Pick<BatchContext, 'registry' | 'progress'>,
  work: (index: EngineIndex, row: IndexRow, number: number) => Promise<unknown>,
): Promise<void> {
  progress.enter('index', rows.length);
  try {
    for (const [number, row] of rows.entries()) {
      const index = await registry.open(row.uid);
      if (index === undefined) throw new Error(`index \`${row.uid}\` is gone`);
      await work(index, row, number);
      progress.advance();
    }
  } finally {
    progress.leave();
  }
}
