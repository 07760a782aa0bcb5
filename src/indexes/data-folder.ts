import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { makeFolder } from './make-folder.js';

/** The folder that holds everything of one instance. */
export class DataFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = resolve(path);
  }

  /** Where payloads wait for their batch. */
  get payloads(): string {
    return join(this.path, 'payloads');
  }

  /** Where the files of indexes are. */
  get indexes(): string {
    return join(this.path, 'indexes');
  }

  /** Where copies are made that are part of something unfinished. */
  get scratch(): string {
    return join(this.path, 'scratch');
  }

  /** Where a file is while it is uploaded. */
  get uploads(): string {
    return join(this.path, 'uploads');
  }

  /** A path in the scratch folder, which is made and holds nothing else. */
  async newScratchPath(name: string): Promise<string> {
    await rm(this.scratch, { recursive: true, force: true });
    await mkdir(this.scratch);
    return join(this.scratch, name);
  }

  /** The file of a payload, by its name or by any path that ends in it. */
  payloadPath(name: string): string {
    return join(this.payloads, basename(name));
  }

  /** A path for a payload that is not there yet. */
  newPayloadPath(extension: 'raw' | 'ndjson'): string {
    return join(this.payloads, `${randomUUID()}.${extension}`);
  }

  /** The folder of an index, by its directory name in the registry. */
  indexPath(directory: string): string {
    return join(this.indexes, directory);
  }

  /** Makes the folders that are missing. */
  async makeFolders(): Promise<void> {
    await makeFolder(this.payloads);
    await makeFolder(this.indexes);
  }

  /** Removes index folders and payloads that nothing refers to, and what was left unfinished. */
  async removeLeftovers(
    directories: ReadonlySet<string>,
    payloads: ReadonlySet<string>,
  ): Promise<void> {
    await removeOthers(this.indexes, directories);
    await removeOthers(this.payloads, payloads);
    await rm(this.scratch, { recursive: true, force: true });
    await rm(this.uploads, { recursive: true, force: true });
  }
}

async function removeOthers(folder: string, kept: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!kept.has(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
}
