// A small file system of its own, to be filled. Making one takes the rights of root on Linux.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Mounts one on a folder, which is made if it is not there; how to take it away again, or `undefined` where none can
 * be made.
 * @param {string} folder
 * @param {string} size such as 48m
 * @returns {(() => void) | undefined}
 */
export function smallDisk(folder, size) {
  mkdirSync(folder, { recursive: true });
  try {
    const args = ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder];
    execFileSync('mount', args, { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  return () => execFileSync('umount', ['-l', folder]);
}

/**
 * Takes all but so many bytes of a disk; how to give them back.
 * @param {string} disk
 * @param {number} left
 * @param {string} [name] of the file that takes them
 */
export function fillDisk(disk, left, name = 'ballast') {
  const { bavail, bsize } = statfsSync(disk);
  const ballast = join(disk, name);
  try {
    writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - left)));
  } catch (error) {
    // Whoever else wrote meanwhile left less room than there was.
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOSPC') throw error;
  }
  return () => rmSync(ballast);
}
