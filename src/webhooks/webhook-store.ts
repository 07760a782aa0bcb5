import { randomUUID } from 'node:crypto';
import { ApiError } from '../errors/api-error.js';
import { Changes } from '../records/changes.js';
import type { Records } from '../records/records.js';
import { WriteOrder } from '../records/write-order.js';
import { LAUNCH_UUID, type Webhook } from './webhook.js';
import { changedWebhook, type WebhookChange } from './webhook-request.js';

const NAMESPACE = 'webhooks';
const MAX_WEBHOOKS = 20;

/**
 * The webhooks: in memory, and on disk before a change is answered. The one of the launch options
 * is in memory alone and cannot be changed. Changes are made one after another.
 */
export class WebhookStore {
  /** Webhooks as they are made. */
  readonly created = new Changes<Webhook>();
  readonly #records: Records;
  readonly #webhooks: Map<string, Webhook>;
  readonly #changes = new WriteOrder();

  constructor(records: Records, webhooks: readonly Webhook[]) {
    this.#records = records;
    this.#webhooks = new Map(webhooks.map((webhook) => [webhook.uuid, webhook]));
  }

  /** Reads the webhooks; `launch` is the one of the launch options. */
  static async load(records: Records, launch?: Omit<Webhook, 'uuid'>) {
    const stored = await records.records(NAMESPACE);
    const webhooks = stored.map(([uuid, webhook]) => ({ ...(webhook as Webhook), uuid }));
    const first = launch === undefined ? [] : [{ ...launch, uuid: LAUNCH_UUID }];
    return new WebhookStore(records, [...first, ...webhooks]);
  }

  /** Every webhook, by uuid. */
  all(): Webhook[] {
    return [...this.#webhooks.values()].sort((a, b) => (a.uuid < b.uuid ? -1 : 1));
  }

  /** Throws `webhook_not_found`. */
  get(uuid: string): Webhook {
    const webhook = this.#webhooks.get(uuid);
    if (webhook !== undefined) return webhook;
    throw new ApiError('webhook_not_found', `Webhook \`${uuid}\` not found.`);
  }

  /** Makes a webhook. */
  create(change: WebhookChange): Promise<Webhook> {
    return this.#changes.inTurn(async () => {
      if (this.#webhooks.size >= MAX_WEBHOOKS) {
        throw new ApiError(
          'invalid_webhooks',
          `Defining too many webhooks would crush the server. Please limit the number of webhooks to ${MAX_WEBHOOKS}. You may use a third-party proxy server to dispatch events to more than ${MAX_WEBHOOKS} endpoints.`,
        );
      }
      const webhook = await this.#put(changedWebhook(randomUUID(), undefined, change));
      this.created.tell(webhook);
      return webhook;
    });
  }

  /** Changes a webhook. */
  change(uuid: string, change: WebhookChange): Promise<Webhook> {
    return this.#changes.inTurn(async () => {
      const before = this.get(uuid);
      refuseLaunchOne(uuid);
      return this.#put(changedWebhook(uuid, before, change));
    });
  }

  /** Removes a webhook. */
  delete(uuid: string): Promise<void> {
    return this.#changes.inTurn(async () => {
      this.get(uuid);
      refuseLaunchOne(uuid);
      await this.#records.deleteRecord(NAMESPACE, uuid);
      this.#webhooks.delete(uuid);
    });
  }

  async #put(webhook: Webhook): Promise<Webhook> {
    const { uuid, url, headers } = webhook;
    await this.#records.putRecord(NAMESPACE, uuid, { url, headers });
    this.#webhooks.set(uuid, webhook);
    return webhook;
  }
}

function refuseLaunchOne(uuid: string): void {
  if (uuid !== LAUNCH_UUID) return;
  throw new ApiError(
    'immutable_webhook',
    `Webhook \`${uuid}\` is immutable. The webhook defined from the command line cannot be modified using the API.`,
  );
}
