import type { Progress } from './progress.js';
import type { BatchStats } from './task.js';

/** The batch that runs, as others may look at it. */
export interface RunningBatch {
  readonly uid: number;
  readonly indexUid: string | null;
  readonly taskUids: readonly number[];
  readonly startedAt: string;
  readonly stats: BatchStats;
  /** Why it holds what it holds. */
  readonly strategy: string;
  readonly progress: Progress;
  /** Asks it to stop. */
  readonly abort: () => void;
  /** Whether closing stops it, to be run again later, rather than waits for its end. */
  readonly isStoppedByClosing: boolean;
}
