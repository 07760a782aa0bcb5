import { relative } from 'node:path';

/** A file that does not hold what was written. */
export interface DamagedFile {
  /** Where it is in the data folder. */
  readonly path: string;
  /** What is wrong with it. */
  readonly reason: string;
  /** The index that it belongs to. */
  readonly indexUid?: string;
}

/** What a look through the files of a data folder found. */
export interface CheckReport {
  /** How many files were read. */
  readonly files: number;
  readonly damaged: readonly DamagedFile[];
}

/** Gathers what is found in a data folder. @internal */
export class CheckFindings {
  readonly #folder: string;
  readonly #damaged: DamagedFile[] = [];
  #files = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Notes files that were read. */
  read(files: number): void {
    this.#files += files;
  }

  /** Notes a damaged file, given by its full path. */
  damage(path: string, reason: string, indexUid?: string): void {
    const about = indexUid === undefined ? {} : { indexUid };
    this.#damaged.push({ path: relative(this.#folder, path), reason, ...about });
  }

  /** Reads one file; what is thrown meanwhile is what is wrong with it. */
  async file(path: string, look: () => Promise<void>): Promise<void> {
    this.#files += 1;
    try {
      await look();
    } catch (error) {
      this.damage(path, (error as Error).message);
    }
  }

  report(): CheckReport {
    return { files: this.#files, damaged: this.#damaged };
  }
}
