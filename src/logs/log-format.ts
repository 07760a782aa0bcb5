/** One record, as it is written in JSON. */
export interface LogRecord {
  readonly timestamp: string;
  readonly level: string;
  /** The part of the server that speaks. */
  readonly target: string;
  readonly message?: string;
  readonly err?: { readonly type?: string; readonly message?: string; readonly stack?: string };
  readonly [field: string]: unknown;
}

/** How records are written: one line for people, or one JSON object a line. */
export type LogMode = 'human' | 'json';

const LONGEST_LEVEL = 5;

/** A record for people: `2024-01-02T03:04:05.678Z  INFO http: answered status=200`. */
export function humanLine(record: LogRecord): string {
  const { timestamp, level, target, message = '', err, ...fields } = record;
  const shown = Object.entries(fields).map(([name, value]) => ` ${name}=${fieldText(value)}`);
  const cause = err === undefined ? '' : `\n${err.stack ?? err.message ?? ''}`;
  return `${timestamp} ${level.padStart(LONGEST_LEVEL)} ${target}: ${message}${shown.join('')}${cause}\n`;
}

/** A text without spaces stands as it is; line ends never leave their record. */
function fieldText(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

/** A record of something that took time, for profiling; `undefined` for all others. */
export function profileLine(record: LogRecord, memoryBytes?: number): string | undefined {
  if (typeof record.durationMs !== 'number') return undefined;
  return `${JSON.stringify(memoryBytes === undefined ? record : { ...record, memoryBytes })}\n`;
}
