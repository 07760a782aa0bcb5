const SECOND_MS = 1000;
const UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** A name of the interface in words: `documentDeletion` as `Document deletion`. */
export function worded(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return (words[0] ?? '').toUpperCase() + words.slice(1);
}

/** How long ago a moment was. */
export function ago(moment: string): string {
  const seconds = (Date.now() - Date.parse(moment)) / SECOND_MS;
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? ['second', 1];
  return relative.format(-Math.floor(seconds / size), unit);
}

/** A duration such as `PT1.25S` for people; empty without one. */
export function lasted(duration: string | null): string {
  const seconds = /^PT([\d.]+)S$/.exec(duration ?? '')?.[1];
  if (seconds === undefined) return '';
  const value = Number(seconds);
  return value < 1 ? `${Math.round(value * SECOND_MS)} ms` : `${value.toFixed(1)} s`;
}
