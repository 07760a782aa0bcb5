import { type Logger, pino } from 'pino';
import { Changes } from '../records/changes.js';
import { humanLine, type LogMode, type LogRecord } from './log-format.js';
import { LogStream, type LogStreamOptions } from './log-stream.js';
import { LOG_LEVELS, type LogLevel, LogTarget } from './log-target.js';

/** What speaks when a record does not say. */
const DEFAULT_PART = 'http';

/** Fields that are never written, wherever they are in a record. */
const SECRETS = ['authorization', 'headers', 'apiKey', 'masterKey', 'searchApiKey', 'writeApiKey'];

/** How the log starts. */
export interface LogOptions {
  readonly target: LogTarget;
  readonly mode: LogMode;
  /** Takes whole lines. */
  readonly write: (text: string) => void;
}

/** The log of the process: written out, and given to at most one listener over HTTP. */
export class Logs {
  /** For the HTTP framework; others use `log`. */
  readonly logger: Logger;
  /** The least important level that anyone wants, each time it is another one. */
  readonly levels = new Changes<LogLevel>();
  readonly #write: (text: string) => void;
  readonly #mode: LogMode;
  #target: LogTarget;
  #stream: LogStream | undefined;

  constructor({ target, mode, write }: LogOptions) {
    this.#target = target;
    this.#mode = mode;
    this.#write = write;
    this.logger = pino(
      {
        messageKey: 'message',
        timestamp: () => `,"timestamp":"${new Date().toISOString()}"`,
        formatters: {
          level: (label) => ({ level: label.toUpperCase() }),
          bindings: () => ({}),
        },
        redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), remove: true },
      },
      { write: (line: string) => this.take(line) },
    );
    this.#setLevel();
  }

  /** A log that nobody reads. */
  static silent(): Logs {
    return new Logs({ target: LogTarget.of('off'), mode: 'json', write: () => undefined });
  }

  /** Writes a record of a part of the server. */
  log(
    level: Exclude<LogLevel, 'off'>,
    part: string,
    message: string,
    fields: Readonly<Record<string, unknown>> = {},
  ): void {
    this.logger[level]({ target: part, ...fields }, message);
  }

  /** The least important level that anyone wants. */
  get level(): LogLevel {
    const wanted = [this.#target.least, this.#stream?.options.target.least ?? 'off'] as const;
    return wanted.reduce((a, b) => (LOG_LEVELS[a] <= LOG_LEVELS[b] ? a : b));
  }

  /** Chooses what is written out from now on. */
  setTarget(target: LogTarget): void {
    this.#target = target;
    this.#setLevel();
  }

  /** A stream of records; `undefined` while there is another one. */
  follow(options: LogStreamOptions): LogStream | undefined {
    if (this.#stream !== undefined) return undefined;
    const stream = new LogStream(options);
    this.#stream = stream;
    stream.once('close', () => this.#forget(stream));
    this.#setLevel();
    return stream;
  }

  /** Ends the stream of records, if there is one. */
  endStream(): void {
    const stream = this.#stream;
    if (stream === undefined) return;
    this.#forget(stream);
    stream.end();
  }

  #forget(stream: LogStream): void {
    if (this.#stream !== stream) return;
    this.#stream = undefined;
    this.#setLevel();
  }

  /** Records that nobody wants are not even made. */
  #setLevel(): void {
    const { level } = this;
    this.logger.level = level === 'off' ? 'silent' : level;
    this.levels.tell(level);
  }

  /** Takes a record as a line of JSON: of this thread, or of another one whose log goes here. */
  take(line: string): void {
    const read = JSON.parse(line) as LogRecord;
    const record = read.target === undefined ? { ...read, target: DEFAULT_PART } : read;
    const level = LOG_LEVELS[record.level.toLowerCase() as LogLevel] ?? LOG_LEVELS.error;
    if (this.#target.passes(record.target, level)) {
      this.#write(this.#mode === 'human' ? humanLine(record) : line);
    }
    const stream = this.#stream;
    if (stream?.options.target.passes(record.target, level) !== true) return;
    if (stream.options.mayFollow?.() === false) this.endStream();
    else stream.give(record, line);
  }
}
