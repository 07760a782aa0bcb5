import { reasonWithCause } from '../errors/error-reason.js';
import type { OutgoingClient } from '../outgoing/outgoing-client.js';
import { RejectedIpError } from '../outgoing/rejected-ip-error.js';
import { timeLimit } from '../waiting/time-limit.js';
import { PassingFailure, withRetries } from '../waiting/with-retries.js';
import type { Webhook } from './webhook.js';

const TIMEOUT_MS = 30_000;
/** Waits before the second try, and so on. */
const RETRY_AFTER_MS = [1000, 5000, 25_000, 120_000];

/** What sending needs. */
export interface SendingParts {
  readonly client: OutgoingClient;
  /** Milliseconds before each further try; the usual ones when absent. */
  readonly retryAfterMs?: readonly number[] | undefined;
  /** Aborted when nothing more is to be sent. */
  readonly signal: AbortSignal;
}

/** How a report came out: without a problem it arrived. */
export interface SendingEnd {
  readonly attempts: number;
  readonly problem?: string;
}

/** Sends a report, again and longer and longer apart while that may help. */
export async function sendReport(
  webhook: Webhook,
  body: Buffer,
  { client, retryAfterMs = RETRY_AFTER_MS, signal }: SendingParts,
): Promise<SendingEnd> {
  let attempts = 0;
  const attempt = async () => {
    attempts += 1;
    const status = await send(webhook, body, client, signal);
    if (status < 300) return;
    const problem = new Error(`the address answered ${status}`);
    throw status === 429 || status >= 500 ? new PassingFailure(problem) : problem;
  };
  try {
    await withRetries(attempt, (retry) => retryAfterMs[retry], signal);
    return { attempts };
  } catch (error) {
    return { attempts, problem: (error as Error).message };
  }
}

async function send(
  { url, headers }: Webhook,
  body: Buffer,
  client: OutgoingClient,
  signal: AbortSignal,
): Promise<number> {
  try {
    const response = await client.fetch(url, {
      method: 'POST',
      headers: {
        ...asBytes(headers),
        'content-type': 'application/x-ndjson',
        'content-encoding': 'gzip',
      },
      body,
      // Followed, most would lose the body on the way, and all would take the headers elsewhere.
      redirect: 'manual',
      signal: AbortSignal.any([timeLimit(TIMEOUT_MS), signal]),
    });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    const problem = new Error(reasonWithCause(error));
    throw error instanceof RejectedIpError ? problem : new PassingFailure(problem);
  }
}

/** Values as the client takes them, a character a byte: those beyond ASCII are sent as UTF-8. */
function asBytes(headers: Webhook['headers']): Record<string, string> {
  const entries = Object.entries(headers);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Buffer.from(value, 'utf8').toString('latin1')]),
  );
}
