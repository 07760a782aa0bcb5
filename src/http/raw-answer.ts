import type { Readable } from 'node:stream';

/** An answer that is not JSON: its bytes, or a stream of them, under a content type. */
export class RawAnswer {
  readonly content: Buffer | Readable;
  readonly contentType: string;

  constructor(content: Buffer | Readable, contentType: string) {
    this.content = content;
    this.contentType = contentType;
  }
}
