import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Inside of the data folder, so that it is on the same disk even when that is a mount point. */
const STAGE = 'import.part';
/** Its presence in the stage means: everything is there and on disk, it only has to be moved. */
const COMPLETE = 'complete';
/** What may be in a data folder that holds no data. */
const NO_DATA = new Set([STAGE, 'LOCK', 'lost+found', 'models']);
/** Moved last: a folder with it is a data folder. */
const LAST = 'VERSION';

/** Whether a data folder holds anything of an instance. */
export async function holdsData(folder: string): Promise<boolean> {
  return (await readdir(folder)).some((name) => !NO_DATA.has(name));
}

/** Ends what an import that was killed left: a complete one is kept, any other is removed. */
export async function settleStage(folder: string): Promise<void> {
  const stage = join(folder, STAGE);
  if (existsSync(join(stage, COMPLETE))) await moveIn(folder);
  else await rm(stage, { recursive: true, force: true });
}

/** Fills a data folder that holds no data: with everything that `fill` writes, or with nothing. */
export async function fillStaged(
  folder: string,
  fill: (stage: string) => Promise<void>,
): Promise<void> {
  const stage = join(folder, STAGE);
  await mkdir(stage);
  try {
    await fill(stage);
  } catch (error) {
    await rm(stage, { recursive: true, force: true });
    throw error;
  }
  const mark = await open(join(stage, COMPLETE), 'w');
  await mark.sync();
  await mark.close();
  await syncFolder(stage);
  await moveIn(folder);
}

async function moveIn(folder: string): Promise<void> {
  const stage = join(folder, STAGE);
  const names = (await readdir(stage)).filter((name) => name !== COMPLETE && name !== 'LOCK');
  names.sort((a, b) => Number(a === LAST) - Number(b === LAST));
  for (const name of names) await rename(join(stage, name), join(folder, name));
  await syncFolder(folder);
  await rm(stage, { recursive: true, force: true });
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  await handle.sync();
  await handle.close();
}
