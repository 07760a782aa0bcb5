import { ApiError } from '../errors/api-error.js';
import { freeAnswer } from '../native/answer.js';

/** Bytes that the answers to one request may have together. */
export const MAX_ANSWER_BYTES = 2 ** 30;

/**
 * Room for the answers that one request waits for. A short request may name a search thousands of
 * times, whose answers are all held until the last one is there.
 */
export class AnswerRoom {
  readonly #bytes: number;
  #left: number;

  constructor(bytes = MAX_ANSWER_BYTES) {
    this.#bytes = bytes;
    this.#left = bytes;
  }

  /** The answer, which must not be used once it is refused: `bad_request` when there is no room. */
  hold(answer: Buffer): Buffer {
    this.#left -= answer.length;
    if (this.#left >= 0) return answer;
    freeAnswer(answer);
    throw new ApiError(
      'bad_request',
      `The answers to the queries have more than ${this.#bytes} bytes together: ask for fewer hits or attributes, or send several requests.`,
    );
  }
}
