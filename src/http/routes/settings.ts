import type * as z from 'zod';
import { type SettingsPart, settingsBodySchema } from '../../settings/asked-settings.js';
import { earlierSettings } from '../../settings/earlier-settings.js';
import {
  enabledSettings,
  enqueuedChange,
  shownSetting,
  shownSettings,
} from '../../settings/settings-rules.js';
import { SETTING_NAMES, SETTINGS, type SettingName } from '../../settings/settings-schema.js';
import type { TaskSummary } from '../../tasks/task.js';
import type { GivenSettings } from '../../tasks/task-draft.js';
import { settingsReceiver } from '../receive-settings.js';
import { requireReader } from '../require-index.js';
import { type AnyRoute, type RouteInput, route } from '../route.js';
import type { Services } from '../services.js';

/** The settings of an index, whole and one by one. */
export const settingsRoutes = (services: Services): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/indexes/:indexUid/settings',
    actions: ['settings.get'],
    handle: async ({ indexUid, request: { shape } }) => {
      const stored = await (await requireReader(services, indexUid)).settings();
      const on = services.features.all();
      if (Buffer.isBuffer(stored)) return services.longJson.run('shownSettings', stored, on, shape);
      const settings = enabledSettings(shownSettings(stored), (feature) => on[feature] ?? false);
      return shape === 'current' ? settings : earlierSettings(JSON.parse(settings));
    },
  }),
  route({
    method: 'PATCH',
    path: '/indexes/:indexUid/settings',
    actions: ['settings.update'],
    ...bodyOf(services, 'any'),
    handle: (input) => change(services, input),
  }),
  route({
    method: 'POST',
    path: '/indexes/:indexUid/settings',
    actions: ['settings.update'],
    ...bodyOf(services, 'earlier'),
    handle: async (input) => updateId(await change(services, input)),
  }),
  route({
    method: 'DELETE',
    path: '/indexes/:indexUid/settings',
    actions: ['settings.update'],
    handle: async (input) => {
      const task = await reset(services, input, SETTING_NAMES);
      return input.request.shape === 'current' ? task : updateId(task);
    },
  }),
  ...SETTING_NAMES.flatMap((name) => subRoutes(services, name)),
];

/** How the earlier shape acknowledges a change: the number of updates is that of tasks. */
const updateId = ({ taskUid }: TaskSummary) => ({ updateId: taskUid });

/** A body of settings, which is received by its length. */
function bodyOf(services: Services, part: SettingsPart) {
  return {
    body: settingsBodySchema(part) as z.ZodType<GivenSettings>,
    receiver: settingsReceiver(services, part),
  };
}

function subRoutes(services: Services, name: SettingName): AnyRoute[] {
  const { path: lastPart, method } = SETTINGS[name];
  const path = `/indexes/:indexUid/settings/${lastPart}`;
  return [
    route({
      method: 'GET',
      path,
      actions: ['settings.get'],
      handle: async ({ indexUid }) => {
        const stored = await (await requireReader(services, indexUid)).settings();
        return Buffer.isBuffer(stored)
          ? services.longJson.run('shownSetting', stored, name)
          : shownSetting(stored, name);
      },
    }),
    route({
      method,
      path,
      actions: ['settings.update'],
      ...bodyOf(services, name),
      handle: (input) => change(services, input),
    }),
    route({
      method: 'DELETE',
      path,
      actions: ['settings.update'],
      handle: (input) => reset(services, input, [name]),
    }),
  ];
}

type Input = Pick<RouteInput<unknown, unknown>, 'indexUid' | 'access' | 'reply'>;

function change(
  { tasks }: Services,
  { indexUid, access, reply, body }: Input & { readonly body: GivenSettings },
): Promise<TaskSummary> {
  reply.code(202);
  const { mayCreateIndexes: mayCreateIndex } = access;
  return tasks.enqueue({ type: 'settingsUpdate', indexUid, ...body, mayCreateIndex });
}

/** Resets settings to their defaults; unlike a change it never creates the index. */
function reset(
  { tasks }: Services,
  { indexUid, reply }: Input,
  names: readonly SettingName[],
): Promise<TaskSummary> {
  reply.code(202);
  const settings = enqueuedChange(Object.fromEntries(names.map((name) => [name, null])));
  return tasks.enqueue({ type: 'settingsUpdate', indexUid, settings, mayCreateIndex: false });
}
