import type { OutgoingClient } from '../outgoing/outgoing-client.js';
import type { Changes } from '../records/changes.js';
import type { Records } from '../records/records.js';
import type { Batch, Page } from '../tasks/task.js';
import type { TaskEvents } from '../tasks/task-events.js';
import type { TaskFilter } from '../tasks/task-filter.js';
import type { DeadLetter } from './dead-letter-log.js';
import { DeliveryProgress, type Progress } from './delivery-progress.js';
import { ReportBodies, type TaskList } from './report-bodies.js';
import { type SendingEnd, sendReport } from './send-report.js';
import { LAUNCH_UUID, type Webhook } from './webhook.js';

/** Batches that wait for one address; the oldest are given up when there are more. */
const MAX_WAITING = 1000;
/** Batches read at once. */
const PAGE = 1000;

/** What delivery works with. */
export interface DeliveryParts {
  readonly webhooks: {
    all(): Webhook[];
    readonly created: Pick<Changes<Webhook>, 'follow'>;
  };
  readonly tasks: TaskList & {
    readonly events: TaskEvents;
    listBatches(filter: TaskFilter): Promise<Page<Pick<Batch, 'uid' | 'finishedAt'>>>;
  };
  /** Where it is kept how far each address was told. */
  readonly records: Records;
  readonly client: OutgoingClient;
  /** Hears of batches that an address will not hear of. */
  readonly onGivenUp: (webhook: Webhook, letter: DeadLetter) => void;
  /** Milliseconds before each further try; the usual ones when absent. */
  readonly retryAfterMs?: readonly number[];
}

/**
 * Tells every webhook of every batch that ends: one request per batch, with its tasks as NDJSON,
 * each address by itself and in the order of the batches. A request that fails is sent again a few
 * times, then given up. What waits when the process ends is sent after the next start
 * ([decision 15](../../docs/adr/0015-webhooks-told-at-least-once.md)). Nothing here delays the
 * work on tasks.
 */
export class WebhookDelivery {
  readonly #parts: DeliveryParts;
  readonly #progress: DeliveryProgress;
  readonly #bodies: ReportBodies;
  /** The batches that wait, by webhook; one that is not being told of anything has no entry. */
  readonly #waiting = new Map<string, number[]>();
  readonly #known = new Set<string>();
  /** The first batch that ended under our eyes; those before are for the start to find. */
  #firstHeard = Number.POSITIVE_INFINITY;
  /** The last batch that webhooks are told of, or were before; not known until the start was resumed. */
  #last: number | undefined;
  readonly #closing = new AbortController();
  readonly #unsubscribe: () => void;
  /** Batches end in this order for the webhooks, too: first those of before the start. */
  #ready: Promise<void>;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#progress = new DeliveryProgress(parts.records);
    this.#bodies = new ReportBodies(parts.tasks);
    this.#ready = this.#resume().catch(() => undefined);
    this.#unsubscribe = parts.tasks.events.subscribe(({ kind, batchUid }) => {
      if (kind !== 'ended') return;
      this.#firstHeard = Math.min(this.#firstHeard, batchUid);
      this.#ready = this.#ready.then(() => this.#enqueue(batchUid));
    });
    parts.webhooks.created.follow((webhook) => {
      this.#ready = this.#ready.then(() => this.#begin(webhook, this.#last));
    });
  }

  /** Sends nothing more; resolves once it is kept what was sent. */
  async close(): Promise<void> {
    this.#unsubscribe();
    this.#closing.abort();
    await this.#ready;
    await this.#progress.settled();
  }

  /** Goes on where the process before ended. */
  async #resume(): Promise<void> {
    const kept = await this.#progress.load();
    const { results } = await this.#parts.tasks.listBatches({ limit: 2 });
    const newest = results.find(({ finishedAt }) => finishedAt !== null)?.uid ?? -1;
    const last = Math.min(newest, this.#firstHeard - 1);
    this.#last = last;
    for (const webhook of this.#parts.webhooks.all()) {
      const progress = kept.get(webhook.uuid);
      kept.delete(webhook.uuid);
      this.#known.add(webhook.uuid);
      if (progress === undefined || isOfAnother(webhook, progress)) this.#setDone(webhook, last);
      else await this.#enqueueAfter(webhook, progress.batchUid, last);
    }
    for (const uuid of kept.keys()) await this.#progress.forget(uuid);
  }

  async #enqueueAfter(webhook: Webhook, told: number, last: number): Promise<void> {
    for (let from: number | null = told + 1; from !== null && from <= last; ) {
      const filter = { from, reverse: true, limit: PAGE };
      const page = await this.#parts.tasks.listBatches(filter);
      const uids = page.results.map(({ uid }) => uid).filter((uid) => uid <= last);
      for (const uid of uids) this.#enqueueFor(webhook, uid);
      from = page.next;
    }
  }

  #enqueue(batchUid: number): void {
    if (this.#last !== undefined && batchUid <= this.#last) return;
    this.#last = batchUid;
    for (const webhook of this.#parts.webhooks.all()) {
      this.#begin(webhook, batchUid - 1);
      this.#enqueueFor(webhook, batchUid);
    }
  }

  /** Keeps from where on a new webhook is told: a process that follows must know that the next batch waits. */
  #begin(webhook: Webhook, last: number | undefined): void {
    if (last === undefined || this.#known.has(webhook.uuid)) return;
    this.#known.add(webhook.uuid);
    this.#setDone(webhook, last);
  }

  #enqueueFor(webhook: Webhook, batchUid: number): void {
    if (this.#closing.signal.aborted) return;
    const waiting = this.#waiting.get(webhook.uuid);
    if (waiting === undefined) {
      this.#waiting.set(webhook.uuid, [batchUid]);
      void this.#deliver(webhook.uuid);
      return;
    }
    waiting.push(batchUid);
    const dropped = waiting.length > MAX_WAITING ? waiting.shift() : undefined;
    if (dropped === undefined) return;
    const problem = 'too many batches wait for this address';
    this.#giveUp(webhook, dropped, { attempts: 0, problem });
  }

  /** Sends what waits for one address until nothing does. */
  async #deliver(uuid: string): Promise<void> {
    const waiting = this.#waiting.get(uuid) ?? [];
    for (let uid = waiting.shift(); uid !== undefined; uid = waiting.shift()) {
      const webhook = this.#parts.webhooks.all().find((one) => one.uuid === uuid);
      if (webhook === undefined) {
        this.#known.delete(uuid);
        await this.#progress.forget(uuid).catch(() => undefined);
        break;
      }
      const end = await this.#deliverOne(webhook, uid);
      if (this.#closing.signal.aborted && end.problem !== undefined) break;
      if (end.problem !== undefined) this.#giveUp(webhook, uid, end);
      this.#setDone(webhook, uid);
    }
    this.#waiting.delete(uuid);
  }

  async #deliverOne(webhook: Webhook, batchUid: number): Promise<SendingEnd> {
    const { client, retryAfterMs } = this.#parts;
    const { signal } = this.#closing;
    if (signal.aborted) return { attempts: 0, problem: 'the server stops' };
    return this.#bodies
      .use(batchUid, async (body) => {
        // There is nothing to tell of a batch whose tasks were forgotten meanwhile.
        if (body.length === 0) return { attempts: 0 };
        return sendReport(webhook, body, { client, retryAfterMs, signal });
      })
      .catch((error: Error) => ({ attempts: 0, problem: error.message }));
  }

  #setDone({ uuid, url }: Webhook, batchUid: number): void {
    this.#progress.set(uuid, { url, batchUid });
  }

  #giveUp(webhook: Webhook, batchUid: number, { attempts, problem = '' }: SendingEnd): void {
    const url = withoutCredentials(webhook.url);
    const error = problem.replaceAll(webhook.url, url);
    this.#parts.onGivenUp(webhook, { url, batchUid, attempts, error });
  }
}

function withoutCredentials(text: string): string {
  const url = new URL(text);
  url.username = '';
  url.password = '';
  return String(url);
}

/** The webhook of the launch options may have another address at each start. */
function isOfAnother({ uuid, url }: Webhook, progress: Progress): boolean {
  return uuid === LAUNCH_UUID && url !== progress.url;
}
