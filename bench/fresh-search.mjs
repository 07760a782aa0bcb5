// Searches that a server has not answered before. An engine may remember answers (this one does, between two commits),
// and a benchmark that sends the same queries again would measure that alone. So the marker of cut texts differs in each
// request: that changes nothing about what there is to do, and what is remembered of words and documents serves as ever.
import { preparePost } from './connection.mjs';

const MARKER = 'cropMarker';
const DIGITS = 8;

let n = 0;
const nextMarker = () => String(n++).padStart(DIGITS, '0');

/**
 * The same search under a marker of its own.
 * @template {Record<string, unknown>} Body
 * @param {Body} body
 */
export const freshBody = (body) => ({ ...body, [MARKER]: nextMarker() });

/** The bytes of one search, as often as it is sent. */
export class FreshSearch {
  #bytes;
  #marker;

  /**
   * @param {{url: URL, key?: string | undefined}} target
   * @param {string} uid of the index
   * @param {unknown} body
   */
  constructor(target, uid, body) {
    const path = `/indexes/${uid}/search`;
    const marker = nextMarker();
    this.#bytes = preparePost(target, path, { .../** @type {object} */ (body), [MARKER]: marker });
    this.#marker = this.#bytes.lastIndexOf(marker);
  }

  /** The request, different from all before. */
  next() {
    const bytes = Buffer.from(this.#bytes);
    bytes.write(nextMarker(), this.#marker, 'latin1');
    return bytes;
  }

  /** The request as it was prepared. */
  same() {
    return this.#bytes;
  }
}
