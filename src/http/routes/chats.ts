import * as z from 'zod';
import { chatSettingsChangeSchema, shownChatSettings } from '../../chats/chat-settings.js';
import { ApiError } from '../../errors/api-error.js';
import { requireFeature } from '../../features/feature.js';
import { coded, positiveInteger } from '../../validation/field-rules.js';
import { invalidIndexUid, isIndexUid } from '../../validation/index-uid.js';
import { type AnyRoute, route } from '../route.js';
import type { Services } from '../services.js';

const listQuerySchema = z.strictObject({
  offset: coded('invalid_index_offset', positiveInteger).default(0),
  limit: coded('invalid_index_limit', positiveInteger).default(20),
});

/** Workspaces of chats and their settings. */
export const chatRoutes = ({ chats, features }: Services): AnyRoute[] => {
  const required = (action: string): void =>
    requireFeature(features.all(), 'chatCompletions', action);
  const requiredSettings = (): void => required('using the /chats/settings route');
  return [
    route({
      method: 'GET',
      path: '/chats',
      actions: ['chats.get'],
      query: listQuerySchema,
      handle: ({ query: { offset, limit } }) => {
        required('listing the chats');
        const uids = chats.uids();
        const results = uids.slice(offset, offset + limit).map((uid) => ({ uid }));
        return { results, offset, limit, total: uids.length };
      },
    }),
    route({
      method: 'GET',
      path: '/chats/:workspaceUid',
      actions: ['chats.get'],
      handle: ({ params }) => {
        required('displaying a chat');
        const uid = workspaceOf(params);
        if (chats.get(uid) === undefined) throw chatNotFound(uid);
        return { uid };
      },
    }),
    route({
      method: 'DELETE',
      path: '/chats/:workspaceUid',
      actions: ['chats.delete'],
      handle: async ({ params, reply }) => {
        required('deleting a chat');
        const uid = workspaceOf(params);
        if (!(await chats.delete(uid))) throw chatNotFound(uid);
        reply.code(204);
        return undefined;
      },
    }),
    route({
      method: 'GET',
      path: '/chats/:workspaceUid/settings',
      actions: ['chatsSettings.get', 'chats.get'],
      handle: ({ params }) => {
        requiredSettings();
        return shownChatSettings(chats.settings(workspaceOf(params)));
      },
    }),
    route({
      method: 'PATCH',
      path: '/chats/:workspaceUid/settings',
      actions: ['chatsSettings.update'],
      body: chatSettingsChangeSchema,
      handle: async ({ params, body }) => {
        requiredSettings();
        return shownChatSettings(await chats.change(workspaceOf(params), body));
      },
    }),
    route({
      method: 'DELETE',
      path: '/chats/:workspaceUid/settings',
      actions: ['chatsSettings.update'],
      handle: async ({ params }) => {
        requiredSettings();
        return shownChatSettings(await chats.reset(workspaceOf(params)));
      },
    }),
  ];
};

/** The uid in the path, which is built like that of an index. */
export function workspaceOf({ workspaceUid = '' }: Readonly<Record<string, string>>): string {
  if (isIndexUid(workspaceUid)) return workspaceUid;
  throw new ApiError('invalid_index_uid', invalidIndexUid(workspaceUid));
}

function chatNotFound(uid: string): ApiError {
  return new ApiError('chat_not_found', `chat ${uid} not found`);
}
