import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createGunzip } from 'node:zlib';
import type { CheckFindings } from './check-report.js';

/** Endings of the archives that are made in a data folder. */
const ARCHIVES = new Set(['.dump', '.snapshot']);

/** Compares the version of a data folder. */
export function checkVersion(
  folder: string,
  version: string,
  findings: CheckFindings,
): Promise<void> {
  const path = join(folder, 'VERSION');
  return findings.file(path, async () => {
    const found = await readFile(path, 'utf8');
    if (found.trim() !== version) {
      throw new Error(`it names version ${JSON.stringify(found.trim())}, this is ${version}`);
    }
  });
}

/** Compares the checksum of a payload; of one without a checksum, that it is there. */
export function checkPayload(
  path: string,
  expected: number | undefined,
  findings: CheckFindings,
): Promise<void> {
  return findings.file(path, async () => {
    let found = 0;
    for await (const piece of createReadStream(path)) found = crc32(piece as Buffer, found);
    if (expected !== undefined && found !== expected) {
      throw new Error('its content does not have its checksum');
    }
  });
}

/** Compares the checksums of the archives in a folder, which may be missing. */
export async function checkArchives(folder: string, findings: CheckFindings): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => ARCHIVES.has(extname(one)))) {
    const path = join(folder, name);
    await findings.file(path, () => pipeline(createReadStream(path), createGunzip(), nowhere()));
  }
}

function nowhere(): Writable {
  return new Writable({ write: (_piece, _encoding, done) => done() });
}
