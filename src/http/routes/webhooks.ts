import { ApiError } from '../../errors/api-error.js';
import { readUuid } from '../../validation/uuid.js';
import { shownWebhook } from '../../webhooks/webhook.js';
import { webhookChangeSchema } from '../../webhooks/webhook-request.js';
import { type AnyRoute, route } from '../route.js';
import type { Services } from '../services.js';

/** Addresses that hear of finished batches. */
export const webhookRoutes = ({ webhooks }: Services): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/webhooks',
    actions: ['webhooks.get'],
    handle: () => ({ results: webhooks.all().map(shownWebhook) }),
  }),
  route({
    method: 'POST',
    path: '/webhooks',
    actions: ['webhooks.create'],
    body: webhookChangeSchema,
    handle: async ({ body, reply }) => {
      const webhook = await webhooks.create(body);
      reply.code(201);
      return shownWebhook(webhook);
    },
  }),
  route({
    method: 'GET',
    path: '/webhooks/:uuid',
    actions: ['webhooks.get'],
    handle: ({ params }) => shownWebhook(webhooks.get(uuidOf(params))),
  }),
  route({
    method: 'PATCH',
    path: '/webhooks/:uuid',
    actions: ['webhooks.update'],
    body: webhookChangeSchema,
    handle: async ({ params, body }) => shownWebhook(await webhooks.change(uuidOf(params), body)),
  }),
  route({
    method: 'DELETE',
    path: '/webhooks/:uuid',
    actions: ['webhooks.delete'],
    handle: async ({ params, reply }) => {
      await webhooks.delete(uuidOf(params));
      reply.code(204);
      return undefined;
    },
  }),
];

function uuidOf({ uuid = '' }: Readonly<Record<string, string>>): string {
  const read = readUuid(uuid);
  if ('uuid' in read) return read.uuid;
  throw new ApiError('invalid_webhook_uuid', `Invalid UUID: ${read.problem}`);
}
