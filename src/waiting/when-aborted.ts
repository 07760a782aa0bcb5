import { defaultMaxListeners, getMaxListeners, setMaxListeners } from 'node:events';

/**
 * Calls a listener when a signal is aborted, until the returned function is called. One signal may
 * stand for thousands of calls at a time, so Node is kept from warning of that as of a leak.
 */
export function whenAborted(signal: AbortSignal, listener: () => void): () => void {
  allowMany(signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

function allowMany(signal: AbortSignal): void {
  try {
    if (getMaxListeners(signal) !== defaultMaxListeners) return;
    setMaxListeners(Number.MAX_SAFE_INTEGER, signal);
  } catch {
    // A signal that is none of Node's counts no listeners.
  }
}
