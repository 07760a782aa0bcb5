import { RefusedText } from './field-rules.js';

const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$/;
const DAY_MS = 24 * 60 * 60 * 1000;
const EARLIEST = Date.parse('0000-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Reads a bound of a time range, an RFC 3339 date-time or a day, as an RFC 3339 text in UTC. Bounds
 * are exclusive: after a day begins with the next one, before a day ends where it begins. `*` is no
 * bound.
 */
export function readDateBound(text: string, side: 'after' | 'before'): string | undefined {
  if (text === '*') return undefined;
  const day = DAY.exec(text);
  if (day !== null) {
    const start = dayStart(day);
    if (start !== undefined) {
      return rfc3339(side === 'after' ? start + DAY_MS : start);
    }
  }
  const moment = readMoment(text);
  if (moment !== undefined) return moment;
  throw new RefusedText(
    `\`${text}\` is an invalid date-time. It should follow the YYYY-MM-DD or RFC 3339 date-time format.`,
  );
}

/** The first millisecond of a day, unless the calendar has no such day. */
function dayStart(parts: RegExpExecArray): number | undefined {
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const kept = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return kept ? date.getTime() : undefined;
}

/** An RFC 3339 date-time in UTC; its fraction is kept as written, up to nanoseconds. */
function readMoment(text: string): string | undefined {
  const parts = RFC_3339.exec(text);
  const day = parts === null ? undefined : dayStart(parts);
  if (parts === null || day === undefined) return undefined;
  const [hour, minute, second] = [Number(parts[4]), Number(parts[5]), Number(parts[6])];
  const offsetHour = Number(parts[9] ?? 0);
  const offsetMinute = Number(parts[10] ?? 0);
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) {
    return undefined;
  }
  const sign = parts[8] === '-' ? -1 : 1;
  const offset = sign * (offsetHour * 60 + offsetMinute) * 60;
  const seconds = (hour * 60 + minute) * 60 + Math.min(second, 59) - offset;
  const whole = rfc3339(day + seconds * 1000).slice(0, 19);
  const fraction = (parts[7] ?? '').slice(0, 10).replace(/\.?0+$/, '');
  return `${whole}${fraction}Z`;
}

/** A moment as text. A zone or a next day may lead out of the years that RFC 3339 can write. */
function rfc3339(milliseconds: number): string {
  return new Date(Math.min(Math.max(milliseconds, EARLIEST), LATEST)).toISOString();
}
