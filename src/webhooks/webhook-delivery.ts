import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { OutgoingClient } from '../outgoing/outgoing-client.js';
import { RejectedIpError } from '../outgoing/rejected-ip-error.js';
import type { Page, Task } from '../tasks/task.js';
import type { TaskEvents } from '../tasks/task-events.js';
import type { TaskFilter } from '../tasks/task-filter.js';
import type { Webhook } from './webhook.js';

const compress = promisify(gzip);

/** Batches that wait for one address; the oldest are given up when there are more. */
const MAX_WAITING = 1000;
/** Tasks read at once. */
const PAGE = 1000;
const TIMEOUT_MS = 30_000;
/** Waits before the second try, and so on. */
const RETRY_AFTER_MS = [1000, 5000, 25_000];

/** What delivery works with. */
export interface DeliveryParts {
  readonly webhooks: { all(): Webhook[] };
  readonly tasks: {
    readonly events: TaskEvents;
    list(filter: TaskFilter): Promise<Page<Task>>;
  };
  readonly client: OutgoingClient;
  /** Hears of batches that an address will not hear of. */
  readonly onGivenUp: (webhook: Webhook, batchUid: number, reason: string) => void;
  /** Milliseconds before each further try; the usual ones when absent. */
  readonly retryAfterMs?: readonly number[];
}

/**
 * Tells every webhook of every batch that ends: one request per batch, with its tasks as NDJSON,
 * each address by itself and in the order of the batches. A request that fails is sent again a few
 * times. What waits is lost when the process ends. Nothing here delays the work on tasks.
 */
export class WebhookDelivery {
  readonly #parts: DeliveryParts;
  readonly #waiting = new Map<string, number[]>();
  readonly #closing = new AbortController();
  readonly #unsubscribe: () => void;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#unsubscribe = parts.tasks.events.subscribe(({ kind, batchUid }) => {
      if (kind === 'ended' && batchUid !== undefined) this.#enqueue(batchUid);
    });
  }

  /** Sends nothing more. */
  close(): void {
    this.#unsubscribe();
    this.#closing.abort();
  }

  #enqueue(batchUid: number): void {
    for (const webhook of this.#parts.webhooks.all()) {
      const waiting = this.#waiting.get(webhook.uuid);
      if (waiting === undefined) {
        this.#waiting.set(webhook.uuid, [batchUid]);
        void this.#deliver(webhook.uuid);
      } else {
        waiting.push(batchUid);
        const dropped = waiting.length > MAX_WAITING ? waiting.shift() : undefined;
        if (dropped !== undefined) {
          this.#parts.onGivenUp(webhook, dropped, 'too many batches wait for this address');
        }
      }
    }
  }

  /** Sends what waits for one address until nothing does. */
  async #deliver(uuid: string): Promise<void> {
    const waiting = this.#waiting.get(uuid) ?? [];
    for (let uid = waiting.shift(); uid !== undefined; uid = waiting.shift()) {
      const webhook = this.#parts.webhooks.all().find((one) => one.uuid === uuid);
      if (webhook === undefined || this.#closing.signal.aborted) break;
      const problem = await this.#deliverOne(webhook, uid);
      if (problem !== undefined) this.#parts.onGivenUp(webhook, uid, problem);
    }
    this.#waiting.delete(uuid);
  }

  /** Why a batch could not be delivered; `undefined` when it was. */
  async #deliverOne(webhook: Webhook, batchUid: number): Promise<string | undefined> {
    let problem = '';
    for (const wait of [0, ...(this.#parts.retryAfterMs ?? RETRY_AFTER_MS)]) {
      try {
        if (wait > 0) await delay(wait, undefined, { signal: this.#closing.signal });
        const status = await this.#send(webhook, await this.#body(batchUid));
        if (status < 400) return undefined;
        problem = `the address answered ${status}`;
        if (status !== 429 && status < 500) return problem;
      } catch (error) {
        problem = reasonOf(error);
        if (this.#closing.signal.aborted || error instanceof RejectedIpError) return problem;
      }
    }
    return problem;
  }

  async #body(batchUid: number): Promise<Buffer> {
    const lines: string[] = [];
    let from: number | undefined;
    for (;;) {
      const page = await this.#parts.tasks.list({
        batchUids: [batchUid],
        limit: PAGE,
        reverse: true,
        from,
      });
      lines.push(...page.results.map((task) => `${JSON.stringify(task)}\n`));
      if (page.next == null) return compress(lines.join(''));
      from = page.next;
    }
  }

  async #send({ url, headers }: Webhook, body: Buffer): Promise<number> {
    const response = await this.#parts.client.fetch(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/x-ndjson',
        'content-encoding': 'gzip',
      },
      body,
      signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), this.#closing.signal]),
    });
    await response.body?.cancel();
    return response.status;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
}
