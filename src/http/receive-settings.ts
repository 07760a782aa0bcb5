import { rm } from 'node:fs/promises';
import { INLINE_BYTES } from '../documents/inline-bytes.js';
import { bufferOf } from '../long-json/long-json-work.js';
import { readSettings, type SettingsPart } from '../settings/asked-settings.js';
import type { GivenSettings } from '../tasks/task-draft.js';
import { readBody } from './read-body.js';
import type { BodyReceiver } from './route.js';
import type { Services } from './services.js';

/** Takes settings of any length: long ones are read by another thread, and wait in a file. */
export function settingsReceiver(
  { features, payloads, longJson }: Pick<Services, 'features' | 'payloads' | 'longJson'>,
  part: SettingsPart,
): BodyReceiver<GivenSettings> {
  return {
    async receive(raw, limit) {
      const body = await readBody(raw, limit);
      const on = features.all();
      if (body.length <= INLINE_BYTES) return readSettings(body, part, on);
      const asked = await longJson.run('askedSettings', body, part, on);
      const { settingNames } = asked;
      const settings = bufferOf(asked.settings);
      const shownJson = asked.shown === undefined ? settings : bufferOf(asked.shown);
      const { content } = await payloads.fromBytes(settings, { format: 'json' });
      if ('file' in content) return { settingsIn: content, settingNames, shownJson };
      // Most of the body was space.
      return {
        settings: JSON.parse(content.inline),
        shownSettings: JSON.parse(shownJson.toString('utf8')),
      };
    },
    async discard(settings) {
      if ('settingsIn' in settings) await rm(settings.settingsIn.file, { force: true });
    },
  };
}
