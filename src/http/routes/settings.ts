import type * as z from 'zod';
import type { Feature } from '../../features/feature.js';
import {
  currentChange,
  earlierSettings,
  earlierSettingsSchema,
} from '../../settings/earlier-settings.js';
import {
  enabledSettings,
  enqueuedChange,
  settingsProblem,
  shownChange,
  shownSettings,
} from '../../settings/settings-rules.js';
import {
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type SettingsChange,
  settingsSchema,
} from '../../settings/settings-schema.js';
import type { TaskSummary } from '../../tasks/task.js';
import { requireReader } from '../require-index.js';
import { type AnyRoute, type RouteInput, route } from '../route.js';
import type { Services } from '../services.js';

/** The settings of an index, whole and one by one. */
export const settingsRoutes = (services: Services): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/indexes/:indexUid/settings',
    actions: ['settings.get'],
    handle: async ({ indexUid, request }) => {
      const isOn = (feature: Feature) => services.features.isOn(feature);
      const settings = enabledSettings(await readSettings(services, indexUid), isOn);
      return request.shape === 'current' ? settings : earlierSettings(JSON.parse(settings));
    },
  }),
  route({
    method: 'PATCH',
    path: '/indexes/:indexUid/settings',
    actions: ['settings.update'],
    body: settingsSchema,
    handle: (input) => change(services, input, input.body),
  }),
  route({
    method: 'POST',
    path: '/indexes/:indexUid/settings',
    actions: ['settings.update'],
    body: earlierSettingsSchema,
    handle: async (input) => updateId(await change(services, input, currentChange(input.body))),
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

async function readSettings(services: Services, indexUid: string): Promise<string> {
  const reader = await requireReader(services, indexUid);
  return shownSettings(await reader.settings());
}

/** How the earlier shape acknowledges a change: the number of updates is that of tasks. */
const updateId = ({ taskUid }: TaskSummary) => ({ updateId: taskUid });

function subRoutes(services: Services, name: SettingName): AnyRoute[] {
  const { path: lastPart, method, schema } = SETTINGS[name];
  const path = `/indexes/:indexUid/settings/${lastPart}`;
  return [
    route({
      method: 'GET',
      path,
      actions: ['settings.get'],
      handle: async ({ indexUid }) => {
        const settings = await readSettings(services, indexUid);
        const all = JSON.parse(settings) as Record<string, unknown>;
        return JSON.stringify(all[name] ?? (name === 'foreignKeys' ? [] : null));
      },
    }),
    route({
      method,
      path,
      actions: ['settings.update'],
      body: (schema as z.ZodType).nullable(),
      handle: (input) => change(services, input, { [name]: input.body }),
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
  { tasks, features }: Services,
  { indexUid, access, reply }: Input,
  settings: SettingsChange,
): Promise<TaskSummary> {
  const on = features.all();
  const problem = settingsProblem(settings, (feature: Feature) => on[feature] ?? false);
  if (problem !== undefined) throw problem;
  reply.code(202);
  const enqueued = enqueuedChange(settings);
  return tasks.enqueue({
    type: 'settingsUpdate',
    indexUid,
    settings: enqueued,
    shownSettings: shownChange(enqueued),
    mayCreateIndex: access.mayCreateIndexes,
  });
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
