import type { Progress } from './progress.js';

/** The batch that runs, as others may look at it. */
export interface RunningBatch {
  readonly uid: number;
  readonly indexUid: string | null;
  readonly taskUids: readonly number[];
  readonly progress: Progress;
  /** Asks the engine to stop it. */
  readonly abort: () => void;
}
