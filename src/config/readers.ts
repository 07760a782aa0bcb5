import { isIP } from 'node:net';
import { ConfigError } from './config-error.js';

/** Reads the text of an option; throws a `ConfigError` without the name of the option. */
export type Reader<T> = (text: string) => T;

/** Any text. */
export const text: Reader<string> = (value) => value;

/** Any text but an empty one. */
export const nonEmptyText: Reader<string> = (value) => {
  if (value !== '') return value;
  throw new ConfigError('the value is empty: give one, or leave the option out');
};

const NO = new Set(['n', 'no', 'f', 'false', 'off', '0']);

/** A switch: the usual words for no, anything else is yes. */
export const flag: Reader<boolean> = (value) => !NO.has(value.trim().toLowerCase());

/** One of some words, in any letter case. */
export function word<const Word extends string>(words: readonly Word[]): Reader<Word> {
  return (value) => {
    const found = words.find((one) => one.toLowerCase() === value.toLowerCase());
    if (found !== undefined) return found;
    throw new ConfigError(`\`${value}\` is not one of ${words.join(', ')}`);
  };
}

/** An integer from a least value on. */
export function integer(least: number): Reader<number> {
  return (value) => {
    const number = Number(value);
    if (/^\d+$/.test(value) && Number.isSafeInteger(number) && number >= least) return number;
    throw new ConfigError(`\`${value}\` is not an integer from ${least} on`);
  };
}

/** An integer between two bounds, which are allowed. */
export function integerWithin(least: number, most: number): Reader<number> {
  return (value) => {
    const number = integer(least)(value);
    if (number <= most) return number;
    throw new ConfigError(`\`${value}\` is not an integer from ${least} to ${most}`);
  };
}

/** A number of bytes between two bounds, which are allowed. */
export function byteSizeWithin(least: number, most: number): Reader<number> {
  return (value) => {
    const bytes = byteSize(value);
    if (bytes >= least && bytes <= most) return bytes;
    throw new ConfigError(`\`${value}\` is not a size from ${least} to ${most} bytes`);
  };
}

/** Seconds between snapshots; as a switch, a day or none. */
export const snapshotInterval: Reader<number | undefined> = (value) => {
  if (value === 'false') return undefined;
  return value === 'true' ? DAY_SECONDS : integer(1)(value);
};

const DAY_SECONDS = 86_400;

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  k: 1000,
  kb: 1000,
  kib: 1024,
  m: 1000 ** 2,
  mb: 1000 ** 2,
  mib: 1024 ** 2,
  g: 1000 ** 3,
  gb: 1000 ** 3,
  gib: 1024 ** 3,
  t: 1000 ** 4,
  tb: 1000 ** 4,
  tib: 1024 ** 4,
};

/** A number of bytes, with or without a unit: `1048576`, `10mb`, `1.5 Gb`, `10MiB`. */
export const byteSize: Reader<number> = (value) => {
  const parts = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(value.trim());
  const unit = UNITS[parts?.[2]?.toLowerCase() ?? '?'];
  if (parts === null || unit === undefined) {
    throw new ConfigError(`\`${value}\` is not a size such as \`100 MB\` or \`10MiB\``);
  }
  return Math.floor(Number(parts[1]) * unit);
};

/** A count of threads; `unlimited` is as many as there are cores. */
export function threads(cores: number): Reader<number> {
  return (value) => (value.toLowerCase() === 'unlimited' ? cores : integer(1)(value));
}

/** Where to listen. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A host and port: `127.0.0.1:7700`, `localhost:7700`, `[::1]:7700`, `:7700`. */
export const address: Reader<Address> = (value) => {
  const parts = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(value.trim());
  const port = Number(parts?.[3]);
  if (parts === null || port > 65_535) {
    throw new ConfigError(`\`${value}\` is not an address such as \`127.0.0.1:7700\``);
  }
  return { host: parts[1] ?? (parts[2] || '0.0.0.0'), port };
};

/** An absolute http or https address. */
export const webUrl: Reader<string | undefined> = (value) => {
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
  throw new ConfigError(`\`${value}\` is not an address such as \`https://example.org/tasks\``);
};

/** Ranges of addresses in CIDR form, separated by commas, or `any`. */
export const ipNetworks: Reader<readonly string[]> = (value) => {
  const networks = value.split(',').map((one) => one.trim());
  for (const network of networks) {
    if (network === 'any' && networks.length === 1) continue;
    if (!isNetwork(network)) {
      throw new ConfigError(`\`${network}\` is not a network such as \`10.0.0.0/8\` or \`any\``);
    }
  }
  return networks;
};

/** Bits of an address by the version that `isIP` tells. */
const ADDRESS_BITS: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

function isNetwork(text: string): boolean {
  const [host = '', bits = '', ...rest] = text.split('/');
  const most = ADDRESS_BITS[isIP(host)];
  return most !== undefined && rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most;
}
