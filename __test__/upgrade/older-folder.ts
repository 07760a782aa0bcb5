import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/** A version before the first release, whose data can be upgraded. */
export const OLDER = '0.1.0-beta.2';

/** Says that another version wrote a data folder. */
export function writtenBy(path: string, version: string): void {
  writeFileSync(join(path, 'VERSION'), version);
}

/**
 * Makes a closed data folder one of an older version, its indexes of a format that is no more: they
 * lack the files that this version alone knows.
 */
export function makeOlder(path: string): void {
  writtenBy(path, OLDER);
  for (const directory of readdirSync(join(path, 'indexes'))) {
    makeIndexOlder(join(path, 'indexes', directory));
  }
}

function makeIndexOlder(path: string): void {
  const generation = join(path, readFileSync(join(path, 'CURRENT'), 'utf8').trim());
  const file = join(generation, 'meta.json');
  const [content = ''] = readFileSync(file, 'utf8').split('\n#crc32:');
  const meta = JSON.parse(content);
  const payload = JSON.parse(meta.payload);
  payload.formatVersion -= 1;
  const changed = JSON.stringify({ ...meta, payload: JSON.stringify(payload) });
  const sum = crc32(changed).toString(16).padStart(8, '0');
  writeFileSync(file, `${changed}\n#crc32:${sum}\n`);
  for (const name of readdirSync(generation)) {
    if (/\.(fwd|attr)$/.test(name)) rmSync(join(generation, name));
  }
}

/** The format that an index of a folder has now, as its files say. */
export function formatsOf(path: string): number[] {
  return readdirSync(join(path, 'indexes')).map((directory) => {
    const folder = join(path, 'indexes', directory);
    const current = readFileSync(join(folder, 'CURRENT'), 'utf8').trim();
    const [content = ''] = readFileSync(join(folder, current, 'meta.json'), 'utf8').split(
      '\n#crc32:',
    );
    return JSON.parse(JSON.parse(content).payload).formatVersion;
  });
}
