import { createReadStream } from 'node:fs';
import { ImportError } from './import-error.js';

/**
 * The longest text of a dump that is read as a whole, in bytes. Settings and what a task shows of them
 * grow to some times the largest body that is taken; a text of JavaScript has an end at twice of this.
 */
export const MAX_TEXT_BYTES = 256 * 2 ** 20;

/**
 * The lines of a file without their ends. Empty ones are left out unless they are to be kept; behind
 * the last end of a line there is none. Memory is that of one line, of `longest` bytes at the most.
 */
export async function* boundedLines(
  file: string,
  {
    keepsEmpty = false,
    longest = MAX_TEXT_BYTES,
  }: { readonly keepsEmpty?: boolean; readonly longest?: number } = {},
): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 2 ** 18 })) {
    let rest = chunk as Buffer;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      const line = Buffer.concat([...parts, rest.subarray(0, end)]).toString('utf8');
      if (keepsEmpty || line.trim() !== '') yield line;
      parts = [];
      length = 0;
      rest = rest.subarray(end + 1);
    }
    if (rest.length === 0) continue;
    parts.push(rest);
    length += rest.length;
    if (length > longest) throw new ImportError(`a line is longer than ${longest} bytes`);
  }
  const last = Buffer.concat(parts).toString('utf8');
  if (last !== '' && (keepsEmpty || last.trim() !== '')) yield last;
}
