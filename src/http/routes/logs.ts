import * as z from 'zod';
import { ApiError } from '../../errors/api-error.js';
import { requireFeature } from '../../features/feature.js';
import { LogTarget } from '../../logs/log-target.js';
import type { Logs } from '../../logs/logs.js';
import { type Keys, mayCall } from '../authenticate.js';
import { RawAnswer } from '../raw-answer.js';
import { type AnyRoute, route } from '../route.js';
import type { Services } from '../services.js';

const target = z
  .string()
  .refine((text) => LogTarget.read(text) instanceof LogTarget, {
    error: ({ input }) => String(LogTarget.read(String(input))),
  })
  .default('info');

const streamSchema = z
  .strictObject({
    target,
    mode: z.enum(['human', 'json', 'profile']).default('human'),
    profileMemory: z.boolean().default(false),
  })
  .meta({ id: 'LogStream' });

const targetSchema = z.strictObject({ target }).meta({ id: 'LogTarget' });

/** Looking at the log while the server runs. */
export const logRoutes = (
  { features }: Services,
  keys: Keys | undefined,
  logs: Logs,
): AnyRoute[] => {
  const requireLogs = (): void =>
    requireFeature(features.all(), 'logsRoute', 'Modifying logs through the `/logs/*` routes');
  return [
    route({
      method: 'POST',
      path: '/logs/stream',
      actions: ['metrics.get'],
      body: streamSchema,
      handle: ({ body, request, reply }) => {
        refuseMemoryWithout(body);
        requireLogs();
        // Keys change while it goes on.
        const mayFollow = () => mayCall(request, keys, ['metrics.get']);
        const stream = logs.follow({ ...body, target: readTarget(body.target), mayFollow });
        if (stream === undefined) throw new ApiError('bad_request', IN_USE);
        reply.header('x-accel-buffering', 'no');
        return new RawAnswer(stream, body.mode === 'human' ? 'text/plain' : 'application/x-ndjson');
      },
    }),
    route({
      method: 'DELETE',
      path: '/logs/stream',
      actions: ['metrics.get'],
      handle: ({ reply }) => {
        requireLogs();
        logs.endStream();
        reply.code(204);
        return undefined;
      },
    }),
    route({
      method: 'POST',
      path: '/logs/stderr',
      actions: ['metrics.get'],
      body: targetSchema,
      handle: ({ body, reply }) => {
        requireLogs();
        logs.setTarget(readTarget(body.target));
        reply.code(204);
        return undefined;
      },
    }),
  ];
};

const IN_USE = 'The `/logs/stream` route is currently in use by someone else.';

/** Memory is told with profiles only; the code of the refusal is that of the interface. */
function refuseMemoryWithout({ mode, profileMemory }: z.output<typeof streamSchema>): void {
  if (!profileMemory || mode === 'profile') return;
  const shown = `${mode.charAt(0).toUpperCase()}${mode.slice(1)}`;
  throw new ApiError(
    'invalid_settings_typo_tolerance',
    `Invalid value: \`profile_memory\` can only be used while profiling code and is not compatible with the ${shown} mode.`,
  );
}

function readTarget(text: string): LogTarget {
  const read = LogTarget.read(text);
  return typeof read === 'string' ? LogTarget.of('off') : read;
}
