import type { Progress } from './progress.js';

/** The batch that runs, as others may look at it. */
export interface RunningBatch {
  readonly uid: number;
  readonly indexUid: string | null;
  readonly taskUids: readonly number[];
  readonly progress: Progress;
  /** Asks it to stop. */
  readonly abort: () => void;
  /** Whether closing stops it, to be run again later, rather than waits for its end. */
  readonly isStoppedByClosing: boolean;
}
