import { SearchStop } from '../native/search-stop.js';
import { whenAborted } from '../waiting/when-aborted.js';

/** The result of work; throws the reason of a signal as soon as it is aborted, and ends the work. */
export async function abortable<T>(
  work: (stop?: SearchStop) => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return work();
  signal.throwIfAborted();
  const stop = new SearchStop();
  let stopListening: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stopListening = whenAborted(signal, () => {
      stop.stop();
      reject(signal.reason);
    });
  });
  try {
    return await Promise.race([work(stop), aborted]);
  } finally {
    stopListening();
  }
}
