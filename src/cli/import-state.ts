import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { CommandError, EXIT } from './exit-code.js';

/** How far the copy of one index is. */
export interface IndexState {
  hasSettings: boolean;
  /** Documents that were sent, in the order of the source. */
  documents: number;
  isDone: boolean;
}

/** How far the copy of an instance is: kept in a file, so that a copy that was stopped goes on. */
export class ImportState {
  readonly path: string;
  readonly wasFound: boolean;
  readonly #source: string;
  readonly #target: string;
  readonly #indexes: Map<string, IndexState>;

  private constructor(path: string, source: string, target: string, found?: SavedState) {
    this.path = path;
    this.#source = source;
    this.#target = target;
    this.wasFound = found !== undefined;
    this.#indexes = new Map(Object.entries(found?.indexes ?? {}));
  }

  /** The state in a file, which must be that of the same copy; a new one where there is none. */
  static load(path: string, source: string, target: string): ImportState {
    if (!existsSync(path)) return new ImportState(path, source, target);
    const found = read(path);
    if (found.source !== source || found.target !== target) {
      throw new CommandError(
        EXIT.failed,
        `${path} is about the copy from ${found.source} to ${found.target}: remove it, or name another file with --state`,
      );
    }
    return new ImportState(path, source, target, found);
  }

  of(uid: string): IndexState {
    const known = this.#indexes.get(uid);
    if (known !== undefined) return known;
    const state = { hasSettings: false, documents: 0, isDone: false };
    this.#indexes.set(uid, state);
    return state;
  }

  /** Writes the state whole or not at all. */
  save(): void {
    const indexes = Object.fromEntries(this.#indexes);
    const state: SavedState = { source: this.#source, target: this.#target, indexes };
    writeFileSync(`${this.path}.new`, `${JSON.stringify(state, null, 2)}\n`);
    renameSync(`${this.path}.new`, this.path);
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}

interface SavedState {
  readonly source: string;
  readonly target: string;
  readonly indexes: Readonly<Record<string, IndexState>>;
}

function read(path: string): SavedState {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new CommandError(EXIT.failed, `${path} cannot be read: ${(error as Error).message}`);
  }
}
