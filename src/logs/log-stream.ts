import { Readable } from 'node:stream';
import { humanLine, type LogMode, type LogRecord, profileLine } from './log-format.js';
import type { LogTarget } from './log-target.js';

/** What a listener wants to see. */
export interface LogStreamOptions {
  readonly target: LogTarget;
  /** `profile`: only what took time, with how long. */
  readonly mode: LogMode | 'profile';
  /** Whether profiles tell how much memory the process has. */
  readonly profileMemory: boolean;
  /** Whether the listener may still see the log; asked for each record, always when absent. */
  readonly mayFollow?: () => boolean;
}

/** Bytes that wait for a slow listener; records beyond are lost to it, not kept. */
const MAX_WAITING_BYTES = 1 << 20;

/** Log records for one listener. A slow one loses records: it never slows the server. */
export class LogStream extends Readable {
  readonly options: LogStreamOptions;
  #nLost = 0;

  constructor(options: LogStreamOptions) {
    super({ highWaterMark: MAX_WAITING_BYTES });
    this.options = options;
  }

  /** Gives a record to the listener; `line` is its JSON. */
  give(record: LogRecord, line: string): void {
    const text = this.#textOf(record, line);
    if (text === undefined) return;
    if (this.readableLength > MAX_WAITING_BYTES) {
      this.#nLost += 1;
      return;
    }
    if (this.#nLost > 0) this.push(`(${this.#nLost} records were lost)\n`);
    this.#nLost = 0;
    this.push(text);
  }

  /** Ends the stream for its listener. */
  end(): void {
    this.push(null);
  }

  override _read(): void {
    // Records are pushed as they come.
  }

  #textOf(record: LogRecord, line: string): string | undefined {
    const { mode, profileMemory } = this.options;
    if (mode === 'human') return humanLine(record);
    if (mode === 'json') return line;
    return profileLine(record, profileMemory ? process.memoryUsage.rss() : undefined);
  }
}
