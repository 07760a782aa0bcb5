import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** A generation of the interface: some routes mean something else in the earlier one. */
export type ApiShape = 'current' | 'earlier';

declare module 'fastify' {
  interface FastifyRequest {
    shape: ApiShape;
  }
}

const SHAPE_HEADER = 'svc-api-shape';

/** The key of a request in the earlier shape, if it carries one. */
export function earlierKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['x-svc-api-key'] ?? headers['x-meili-api-key'];
  return typeof key === 'string' ? key : undefined;
}

/** The generation that a request speaks; `fallback` is for requests that do not say. */
export function shapeOf(headers: IncomingHttpHeaders, fallback: ApiShape): ApiShape {
  const hasKey = headers.authorization !== undefined;
  // With both keys the request is a current one, whatever else it says.
  if (earlierKeyOf(headers) !== undefined) return hasKey ? 'current' : 'earlier';
  const asked = headers[SHAPE_HEADER];
  if (asked === 'earlier') return 'earlier';
  return hasKey || asked === 'current' ? 'current' : fallback;
}

/** Marks every request with the generation it speaks, and the answers given in the earlier one. */
export function recogniseShapes(app: FastifyInstance, fallback: ApiShape): void {
  app.decorateRequest('shape', 'current');
  app.addHook('onRequest', (request, reply, done) => {
    const shape = shapeOf(request.headers, fallback);
    if (shape === 'earlier') {
      request.shape = shape;
      reply.header(SHAPE_HEADER, shape);
    }
    done();
  });
}
