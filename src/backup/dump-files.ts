import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { boundedLines, MAX_TEXT_BYTES } from './bounded-lines.js';
import { ImportError } from './import-error.js';

/** Levels of arrays and objects at the most: twice what a request may have. */
const MAX_DEPTH = 256;

/** The files of an extracted dump; what is read of them is checked by who reads it. */
export class DumpFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Where a file of the dump is. */
  path(path: string): string {
    return join(this.#folder, path);
  }

  has(path: string): boolean {
    return existsSync(this.path(path));
  }

  /** The text of a file, `undefined` when there is none. */
  async text(path: string): Promise<string | undefined> {
    if (!this.has(path)) return undefined;
    const { size } = await stat(this.path(path));
    if (size > MAX_TEXT_BYTES) throw new ImportError(`\`${path}\` is too large`);
    return readFile(this.path(path), 'utf8');
  }

  /** The JSON object in a file, `undefined` when there is none. */
  async object(path: string): Promise<Record<string, unknown> | undefined> {
    const text = await this.text(path);
    return text === undefined ? undefined : asObject(parsed(text, path), path);
  }

  /** The JSON objects in the lines of a file, none when there is no file. */
  async *objects(path: string): AsyncGenerator<Record<string, unknown>> {
    if (!this.has(path)) return;
    let number = 0;
    for await (const line of boundedLines(this.path(path))) {
      number += 1;
      const place = `${path}, line ${number}`;
      yield asObject(parsed(line, place), place);
    }
  }
}

function parsed(text: string, place: string): unknown {
  if (isTooDeep(text)) {
    throw new ImportError(`\`${place}\` has more than ${MAX_DEPTH} levels of arrays and objects`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ImportError(`\`${place}\` is no JSON: ${(error as Error).message}`);
  }
}

/** Whether there are so many levels that what walks through the values would run out of stack. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const [piece] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/gs)) {
    if (piece === '[' || piece === '{') depth += 1;
    else if (piece === ']' || piece === '}') depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** A value as an object; anything else is refused, naming where it stood. */
export function asObject(value: unknown, place: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new ImportError(`\`${place}\` is no JSON object`);
}
