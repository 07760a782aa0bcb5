// What the kernel says about a process and a folder. Linux has it under /proc; elsewhere figures are null.
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

const TICKS_PER_SECOND = 100;

/**
 * Processor seconds used so far, user and system.
 * @param {number | null} pid
 */
export function cpuSeconds(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return null;
  }
}

/**
 * Resident memory in MiB: now, and the most there ever was.
 * @param {number | null} pid
 */
export function residentMemory(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    /** @param {string} name */
    const mebibytes = (name) =>
      Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024;
    return { now: mebibytes('VmRSS'), peak: mebibytes('VmHWM') };
  } catch {
    return null;
  }
}

/**
 * Bytes that a folder takes on disk: allocated blocks, so that holes in files do not count.
 * @param {string} folder
 * @returns {number}
 */
export function diskUsage(folder) {
  let total = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    try {
      total += entry.isDirectory() ? diskUsage(path) : lstatSync(path).blocks * 512;
    } catch {
      // A file that vanished while we looked takes no space.
    }
  }
  return total;
}

/**
 * The process that listens on a port of this machine, or null.
 * @param {number} port
 */
export function listeningProcess(port) {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const sockets = new Set(
    ['/proc/net/tcp', '/proc/net/tcp6']
      .flatMap((file) => attempt(() => readFileSync(file, 'utf8').split('\n'), []))
      .map((line) => line.trim().split(/\s+/))
      .filter((columns) => columns[3] === '0A' && columns[1]?.endsWith(suffix))
      .map((columns) => `socket:[${columns[9]}]`),
  );
  const pids = attempt(() => readdirSync('/proc').filter((name) => /^\d+$/.test(name)), []);
  const owner = pids.find((pid) =>
    attempt(() => readdirSync(`/proc/${pid}/fd`), []).some((descriptor) =>
      sockets.has(attempt(() => readlinkSync(`/proc/${pid}/fd/${descriptor}`), '')),
    ),
  );
  return owner === undefined ? null : Number(owner);
}

/**
 * @template T
 * @param {() => T} read
 * @param {T} otherwise
 */
function attempt(read, otherwise) {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
