const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:([Tt ])(\d\d):(\d\d):(\d\d)(?:(\.\d{1,9})\d*)?([Zz]|[+-]\d\d:\d\d)?)?$/;
const MINUTE_MS = 60_000;

/** When a key ends: the moment, and its text as it is shown. */
export interface ExpiryDate {
  /** RFC 3339, in the zone that was given; UTC when none was. */
  readonly text: string;
  readonly epochMs: number;
}

/**
 * Reads a date of end: RFC 3339, or a date with or without a time in UTC. `undefined` when the text
 * is none of these or the calendar has no such day.
 */
export function readExpiryDate(text: string): ExpiryDate | undefined {
  const parts = DATE_TIME.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day, separator, hour = '00', minute = '00', second = '00'] = parts;
  const [fraction = '', zone] = [parts[8]?.replace(/\.?0+$/, ''), parts[9]];
  // A fraction needs a zone, and a zone the letter between date and time.
  if (zone === undefined ? fraction !== '' || parts[8] !== undefined : separator === ' ') {
    return undefined;
  }
  const clock = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const local = Date.parse(`${clock}Z`);
  const offset = zoneMinutes(zone);
  // Days that a month does not have would silently become those of the next one.
  if (offset === undefined || Number.isNaN(local)) return undefined;
  if (new Date(local).toISOString().slice(0, 19) !== clock) return undefined;
  const shownZone = offset === 0 ? 'Z' : zone;
  const epochMs = local - offset * MINUTE_MS + Number(`0${fraction}`) * 1000;
  return { text: `${clock}${fraction}${shownZone}`, epochMs };
}

/** Minutes that a zone is ahead of UTC; `undefined` when a day has no such hour or minute. */
function zoneMinutes(zone: string | undefined): number | undefined {
  if (zone === undefined || zone.toUpperCase() === 'Z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4))];
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
