import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].join(', ');
const PREFLIGHT_MAX_AGE_SECONDS = 86_400;

/** Lets pages of every origin use the server, and answers when they ask whether they may. */
export function allowOrigins(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('access-control-allow-origin', '*');
    if (request.method === 'OPTIONS') answerPreflight(request, reply);
    else done();
  });
}

/** Every method and every header may be sent, on any path. */
function answerPreflight({ headers }: FastifyRequest, reply: FastifyReply): void {
  const asked = headers['access-control-request-headers'];
  if (asked !== undefined) reply.header('access-control-allow-headers', asked);
  reply
    .code(204)
    .header('access-control-allow-methods', METHODS)
    .header('access-control-max-age', String(PREFLIGHT_MAX_AGE_SECONDS))
    .header('vary', 'Access-Control-Request-Headers')
    .header('content-length', '0')
    .send();
}
