const BINARY = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
const DECIMAL = ['B', 'kB', 'MB', 'GB', 'TB'];

/** A limit in words: binary units when it is a multiple of 1024, else decimal ones. */
export function formatByteLimit(bytes: number): string {
  return bytes % 1024 === 0 ? scaled(bytes, 1024, BINARY, 2) : scaled(bytes, 1000, DECIMAL, 2);
}

/** A size in words for people: binary units, two decimals, whole bytes. */
export function formatByteSize(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : scaledFixed(bytes);
}

function scaled(bytes: number, base: number, units: readonly string[], decimals: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= base && unit < units.length - 1) {
    value /= base;
    unit += 1;
  }
  return `${Number(value.toFixed(decimals))} ${units[unit]}`;
}

function scaledFixed(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < BINARY.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(2)} ${BINARY[unit]}`;
}
