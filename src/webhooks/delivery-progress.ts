import type { Records } from '../records/records.js';

const NAMESPACE = 'webhookProgress';

/** How far an address was told. */
export interface Progress {
  /** The address that was told. */
  readonly url: string;
  /** The last batch that it was told of, or that was given up. */
  readonly batchUid: number;
}

/**
 * How far each webhook was told, kept across restarts. It is written behind the work: after a crash
 * a few batches are told of once more, none is left out.
 */
export class DeliveryProgress {
  readonly #records: Records;
  readonly #unsaved = new Map<string, Progress>();
  #saving: Promise<void> | undefined;

  constructor(records: Records) {
    this.#records = records;
  }

  /** What was kept, by webhook. */
  async load(): Promise<Map<string, Progress>> {
    return new Map((await this.#records.records(NAMESPACE)) as [string, Progress][]);
  }

  /** Keeps the progress of a webhook, soon. */
  set(uuid: string, progress: Progress): void {
    this.#unsaved.set(uuid, progress);
    this.#saving ??= this.#save();
  }

  /** Forgets a webhook that is gone. */
  async forget(uuid: string): Promise<void> {
    this.#unsaved.delete(uuid);
    await this.#records.deleteRecord(NAMESPACE, uuid);
  }

  /** Resolves once everything is on disk. */
  async settled(): Promise<void> {
    await this.#saving;
  }

  async #save(): Promise<void> {
    for (const [uuid, progress] of this.#unsaved) {
      this.#unsaved.delete(uuid);
      // The next progress is written again, and tells more than this one.
      await this.#records.putRecord(NAMESPACE, uuid, progress).catch(() => undefined);
    }
    this.#saving = undefined;
  }
}
