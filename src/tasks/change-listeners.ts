import { ChangeStream } from './change-stream.js';

/** What somebody wants to hear of. */
export interface ChangeInterest<T> {
  /** Whether the listener may see an object. */
  readonly sees: (value: T) => boolean;
  /** One state as it is sent, from its JSON. */
  readonly frame: (json: string) => string;
}

/** Those who listen to the states of objects: any number, each at its own pace. */
export class ChangeListeners<T extends { readonly uid: number }> {
  readonly #interests = new Map<ChangeStream, ChangeInterest<T>>();
  readonly #watch: () => () => void;
  #unwatch: () => void = () => undefined;
  #hasEnded = false;

  /** `watch` is called when there is a first listener; what it returns, when there is none left. */
  constructor(watch: () => () => void) {
    this.#watch = watch;
  }

  /** The states from now on, until the stream is destroyed. */
  follow(interest: ChangeInterest<T>): ChangeStream {
    const stream = new ChangeStream();
    if (this.#hasEnded) {
      stream.end();
      return stream;
    }
    if (this.#interests.size === 0) this.#unwatch = this.#watch();
    this.#interests.set(stream, interest);
    stream.once('close', () => this.#leave(stream));
    return stream;
  }

  /** Tells everybody who may see an object of its state; it is written as JSON once. */
  publish(value: T): void {
    let json: string | undefined;
    for (const [stream, { sees, frame }] of this.#interests) {
      if (!sees(value)) continue;
      json ??= JSON.stringify(value);
      stream.give(value.uid, frame(json));
    }
  }

  /** Ends every stream, and each that is asked for later. */
  end(): void {
    this.#hasEnded = true;
    for (const stream of this.#interests.keys()) stream.end();
  }

  #leave(stream: ChangeStream): void {
    if (this.#interests.delete(stream) && this.#interests.size === 0) this.#unwatch();
  }
}
