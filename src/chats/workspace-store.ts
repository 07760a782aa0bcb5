import { ApiError } from '../errors/api-error.js';
import type { Records } from '../records/records.js';
import { WriteOrder } from '../records/write-order.js';
import {
  type ChatSettings,
  type ChatSettingsChange,
  changedChatSettings,
  DEFAULT_CHAT_SETTINGS,
  storedChatSettings,
} from './chat-settings.js';

const NAMESPACE = 'chats';

/**
 * The workspaces with their settings: in memory, and on disk before a change is answered. One is
 * there once its settings were changed. Changes are made one after another.
 */
export class WorkspaceStore {
  readonly #records: Records;
  readonly #workspaces: Map<string, ChatSettings>;
  readonly #changes = new WriteOrder();

  constructor(records: Records, workspaces: Iterable<readonly [string, ChatSettings]> = []) {
    this.#records = records;
    this.#workspaces = new Map(workspaces);
  }

  /** Reads the workspaces from the store. */
  static async load(records: Records): Promise<WorkspaceStore> {
    const stored = await records.records(NAMESPACE);
    return new WorkspaceStore(
      records,
      stored.map(([uid, settings]) => [uid, storedChatSettings(settings)] as const),
    );
  }

  /** The uids of all workspaces, in byte order. */
  uids(): string[] {
    return [...this.#workspaces.keys()].sort();
  }

  get(uid: string): ChatSettings | undefined {
    return this.#workspaces.get(uid);
  }

  /** The settings of a workspace that must be there. */
  settings(uid: string): ChatSettings {
    const settings = this.#workspaces.get(uid);
    if (settings !== undefined) return settings;
    throw new ApiError('chat_not_found', `Chat \`${uid}\` not found`);
  }

  /** Changes the settings of a workspace, or makes it. */
  change(uid: string, change: ChatSettingsChange): Promise<ChatSettings> {
    return this.#changes.inTurn(() => {
      const before = this.#workspaces.get(uid) ?? DEFAULT_CHAT_SETTINGS;
      return this.#put(uid, changedChatSettings(before, change));
    });
  }

  /** Sets the settings of a workspace back to the defaults. */
  reset(uid: string): Promise<ChatSettings> {
    return this.#changes.inTurn(() => {
      this.settings(uid);
      return this.#put(uid, DEFAULT_CHAT_SETTINGS);
    });
  }

  /** Removes a workspace with its settings; false when it was not there. */
  delete(uid: string): Promise<boolean> {
    return this.#changes.inTurn(async () => {
      if (!this.#workspaces.has(uid)) return false;
      await this.#records.deleteRecord(NAMESPACE, uid);
      return this.#workspaces.delete(uid);
    });
  }

  async #put(uid: string, settings: ChatSettings): Promise<ChatSettings> {
    await this.#records.putRecord(NAMESPACE, uid, settings);
    this.#workspaces.set(uid, settings);
    return settings;
  }
}
