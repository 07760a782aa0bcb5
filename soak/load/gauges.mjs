// What a server process holds at one moment, as the kernel says: memory, handles, threads, files.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { cpuSeconds, diskUsage } from '../../bench/process-usage.mjs';

const KIBIBYTES_PER_MEBIBYTE = 1024;
const MEBIBYTE = 2 ** 20;

/**
 * @typedef {object} Gauges
 * @property {number} anonymousMiB memory that no file stands behind (`RssAnon`)
 * @property {number} residentMiB
 * @property {number} handles open file descriptors
 * @property {number} threads
 * @property {number} cpuSeconds used since the start
 */

/**
 * @typedef {object} Files
 * @property {number} diskMiB of the whole folder of the server
 * @property {number} databaseMiB
 * @property {number} logMiB the log of the database that is not yet in its file
 * @property {number} payloads files that wait
 */

/**
 * @param {number} pid
 * @returns {Gauges}
 */
export function readGauges(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  /** @param {string} name */
  const figure = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  return {
    anonymousMiB: figure('RssAnon') / KIBIBYTES_PER_MEBIBYTE,
    residentMiB: figure('VmRSS') / KIBIBYTES_PER_MEBIBYTE,
    handles: readdirSync(`/proc/${pid}/fd`).length,
    threads: figure('Threads'),
    cpuSeconds: cpuSeconds(pid) ?? 0,
  };
}

/**
 * @param {{folder: string, dataFolder: string}} server
 * @returns {Files}
 */
export function readFiles({ folder, dataFolder }) {
  /** @param {string} name */
  const size = (name) => {
    const path = join(dataFolder, name);
    return existsSync(path) ? statSync(path).size / MEBIBYTE : 0;
  };
  return {
    diskMiB: diskUsage(folder) / MEBIBYTE,
    databaseMiB: size('server.sqlite'),
    logMiB: size('server.sqlite-wal'),
    payloads: readdirSync(join(dataFolder, 'payloads')).length,
  };
}
