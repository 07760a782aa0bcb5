const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];
const SECONDS_PER_MINUTE = 60;

/** Bytes for people, such as `12.3 MB`. */
export function shownBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}

/** A count for people, such as `36,273`. */
export function shownCount(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

/** Milliseconds for people, such as `1:05` for minutes and seconds. */
export function shownDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const parts = [Math.floor(seconds / SECONDS_PER_MINUTE), seconds % SECONDS_PER_MINUTE];
  return `${parts[0]}:${String(parts[1]).padStart(2, '0')}`;
}

const SIZES: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
};

/** Bytes of a size such as `16MB`; `undefined` when it is none. */
export function readBytes(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmg]i?)?b?$/i.exec(text) ?? [];
  const size = SIZES[unit.toLowerCase()];
  return number === undefined || size === undefined ? undefined : Math.floor(Number(number) * size);
}
