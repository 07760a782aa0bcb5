import { readSettings, type SettingsPart } from '../settings/asked-settings.js';
import { earlierSettings } from '../settings/earlier-settings.js';
import { enabledSettings, shownSetting, shownSettings } from '../settings/settings-rules.js';
import type { SettingName } from '../settings/settings-schema.js';
import type { LongBatchPage } from '../tasks/task-queue.js';
import { batchPageView, taskPageView } from '../tasks/task-view.js';

/** Settings as they are enqueued and, where that differs, as their task shows them: both as JSON. */
export interface LongAskedSettings {
  readonly settings: Uint8Array;
  readonly shown: Uint8Array | undefined;
  readonly settingNames: readonly string[];
}

/**
 * What is done with megabytes of JSON: bytes in, bytes out, and a few words beside them that a
 * thread can be given. Throws `ApiError`.
 */
export const LONG_JSON_WORK = {
  /** Reads a body of settings. */
  askedSettings(
    body: Uint8Array,
    part: SettingsPart,
    on: Readonly<Record<string, boolean>>,
  ): LongAskedSettings {
    const { settings, shownSettings: shown } = readSettings(bufferOf(body), part, on);
    return {
      settings: json(settings),
      shown: shown === settings ? undefined : json(shown),
      settingNames: Object.keys(settings),
    };
  },

  /** The settings that are on, as they are shown. */
  shownSettings(
    stored: Uint8Array,
    on: Readonly<Record<string, boolean>>,
    shape: 'current' | 'earlier',
  ): Buffer {
    const settings = enabledSettings(
      shownSettings(text(stored)),
      (feature) => on[feature] ?? false,
    );
    return shape === 'current'
      ? Buffer.from(settings)
      : json(earlierSettings(JSON.parse(settings)));
  },

  /** One setting as it is shown. */
  shownSetting: (stored: Uint8Array, name: SettingName): Buffer =>
    Buffer.from(shownSetting(text(stored), name)),

  /** A page of tasks as it is shown. */
  taskPage: (page: Uint8Array): Buffer => json(taskPageView(JSON.parse(text(page)))),

  /** The first task of a page as it is shown. */
  task: (page: Uint8Array): Buffer => json(taskPageView(JSON.parse(text(page))).results[0]),

  /** A page of batches as it is shown. */
  batchPage: (page: Uint8Array, progress: LongBatchPage['progress']): Buffer =>
    json(batchPageView(JSON.parse(text(page)), progress)),

  /** The first batch of a page as it is shown. */
  batch: (page: Uint8Array, progress: LongBatchPage['progress']): Buffer =>
    json(batchPageView(JSON.parse(text(page)), progress).results[0]),
};

/** The same bytes; what another thread gives are no buffers. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function text(bytes: Uint8Array): string {
  return bufferOf(bytes).toString('utf8');
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
