import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type * as z from 'zod';
import { type Access, FULL_ACCESS } from '../auth/access.js';
import type { Action } from '../auth/actions.js';
import { ApiError } from '../errors/api-error.js';
import { decodeJson, decodeLargeJson } from '../validation/decode-json.js';
import { decodeQuery } from '../validation/decode-query.js';
import { invalidIndexUid, isIndexUid } from '../validation/index-uid.js';
import type { Decoded } from '../validation/problem.js';
import { parseQueryString } from '../validation/query-string.js';
import type { ApiShape } from './api-shape.js';
import { JSON_ONLY, type MediaType, mediaTypeOf } from './content-type.js';
import { RawAnswer } from './raw-answer.js';
import { readBody } from './read-body.js';

/** Bytes of a body that takes more than a few milliseconds to decode. */
const LARGE_BODY = 256 * 1024;

/** The decoded parts of a request, as its route declared them. */
export interface RouteInput<Query, Body> {
  readonly params: Readonly<Record<string, string>>;
  /** The valid uid of the index in the path; empty on routes without one. */
  readonly indexUid: string;
  readonly query: Query;
  readonly body: Body;
  readonly access: Access;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Media types of the body, where they are not JSON alone. */
    accepts?: readonly MediaType[];
    /** Whether the route is there only to refuse its method. */
    isWrongMethod?: boolean;
  }
}

/** What a handler gives back: ready JSON as bytes or text, a value to write as JSON, or no JSON. */
export type Answer = Buffer | string | object | null | number | boolean | RawAnswer;

/** What takes a body that may be too large to be read as JSON here. */
export interface BodyReceiver<Body> {
  readonly receive: (raw: IncomingMessage, limit: number) => Promise<Body>;
  /** Gives up what was received for a request that is refused. */
  readonly discard: (body: Body) => Promise<void>;
}

/** One route: what it takes, who may call it, and what it does. */
export interface Route<Query extends z.ZodObject | undefined, Body extends z.ZodType | undefined> {
  readonly method: HTTPMethods;
  /** Path pattern; a part `:indexUid` is checked to be one. */
  readonly path: string;
  /** Actions of which a key must hold one; absent on routes that are open to everyone. */
  readonly actions?: readonly Action[];
  /** Actions that a key must hold, all of them, beside one of `actions`. */
  readonly alsoActions?: readonly Action[];
  /** The only generation of the interface that has the route; in the other its method is wrong. */
  readonly shape?: ApiShape;
  readonly query?: Query;
  /** Schema of a JSON body; routes without one do not read the body. */
  readonly body?: Body;
  /** Takes the JSON body in the place of the schema, which then only describes it. */
  readonly receiver?: BodyReceiver<Body extends z.ZodType ? z.output<Body> : undefined>;
  /** Media types of a body that the handler itself receives. */
  readonly accepts?: readonly MediaType[];
  /** Media type of the answer where it is not JSON. */
  readonly answers?: string;
  /** Problems of the body are answered before those of the path and the query. */
  readonly bodyFirst?: boolean;
  readonly handle: (
    input: RouteInput<
      Query extends z.ZodObject ? z.output<Query> : undefined,
      Body extends z.ZodType ? z.output<Body> : undefined
    >,
  ) => Promise<Answer | undefined> | Answer | undefined;
}

/** A route whatever it takes, for lists of routes. */
export type AnyRoute = Route<z.ZodObject | undefined, z.ZodType | undefined>;

/** Fixes the types of a route from its schemas. */
export function route<
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(definition: Route<Query, Body>): AnyRoute {
  return definition as unknown as AnyRoute;
}

/** Adds routes to the server. Decoding goes path, query, body, unless a route says otherwise. */
export function addRoutes(
  app: FastifyInstance,
  routes: readonly AnyRoute[],
  bodyLimit: number,
): void {
  for (const one of routes) {
    const decode = queryDecoder(one.query);
    const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      if (one.shape !== undefined && one.shape !== request.shape) reply.code(405).send();
      else
        send(reply, await one.handle(await decodeRequest(one, decode, request, reply, bodyLimit)));
    };
    // The framework is given no promise: it would wait for the end of the answer, and listen for it.
    const run = (request: FastifyRequest, reply: FastifyReply): void => {
      answer(request, reply).catch((error: unknown) => fail(reply, error));
    };
    app.route({
      method: one.method,
      url: one.path,
      config: {
        ...(one.actions === undefined ? {} : { actions: one.actions }),
        ...(one.alsoActions === undefined ? {} : { alsoActions: one.alsoActions }),
        ...(one.accepts === undefined ? {} : { accepts: one.accepts }),
      },
      // The framework has nothing to do with the body of a plain request: what it would still do
      // before the handler, in a scope of its own, takes as long as our decoding.
      preParsing: (request, reply, payload, done) => {
        if (isPlain(request)) run(request, reply);
        else done(null, payload);
      },
      handler: run,
    });
  }
  for (const { method, path } of hiddenByNamed(routes)) {
    const config = { isWrongMethod: true };
    app.route({ method, url: path, config, handler: (_request, reply) => reply.code(405).send() });
  }
}

/** Answers with an error; what cannot be answered any more is broken off. */
function fail(reply: FastifyReply, error: unknown): void {
  try {
    reply.send(error instanceof Error ? error : new Error(String(error)));
  } catch {
    reply.raw.destroy();
  }
}

/** Whether a request has a body of a type that needs no second look. */
function isPlain({ headers }: FastifyRequest): boolean {
  const type = headers['content-type'];
  return type === 'application/json' || type === 'application/x-ndjson';
}

/**
 * Methods of paths with a parameter, on paths that have a name in its place: `GET /tasks/cancel`
 * asks for no task called "cancel", it is a wrong method.
 */
function hiddenByNamed(
  routes: readonly AnyRoute[],
): { readonly method: HTTPMethods; readonly path: string }[] {
  const known = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  const named = new Set(routes.map(({ path }) => path).filter((path) => !/:\w+$/.test(path)));
  const hidden = [...named].flatMap((path) => {
    const parent = path.slice(0, path.lastIndexOf('/') + 1);
    return routes
      .filter((one) => one.path.startsWith(`${parent}:`) && !one.path.includes('/', parent.length))
      .map(({ method }) => ({ method, path }));
  });
  return hidden.filter(({ method, path }) => !known.has(`${method} ${path}`));
}

/** Decodes the query of a request; that of requests without any is decoded once. */
function queryDecoder(schema: z.ZodObject | undefined): (request: FastifyRequest) => unknown {
  if (schema === undefined) return () => undefined;
  let ofNone: { readonly value: unknown } | undefined;
  return (request) => {
    const text = rawQuery(request);
    if (text !== '') return unwrap(decodeQuery(schema, parseQueryString(text)));
    ofNone ??= { value: Object.freeze(unwrap(decodeQuery(schema, parseQueryString('')))) };
    return ofNone.value;
  };
}

async function decodeRequest(
  one: AnyRoute,
  decode: (request: FastifyRequest) => unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  bodyLimit: number,
): Promise<RouteInput<never, never>> {
  if (!one.bodyFirst)
    return decodeParts(decode, request, reply, () => decodeBody(one, request, bodyLimit));
  const body = await decodeBody(one, request, bodyLimit);
  try {
    return await decodeParts(decode, request, reply, async () => body);
  } catch (error) {
    await one.receiver?.discard(body as never);
    throw error;
  }
}

async function decodeParts(
  decode: (request: FastifyRequest) => unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  bodyOf: () => Promise<unknown>,
): Promise<RouteInput<never, never>> {
  const params = request.params as Record<string, string>;
  const indexUid = params.indexUid ?? '';
  if (params.indexUid !== undefined && !isIndexUid(indexUid)) {
    throw new ApiError('invalid_index_uid', invalidIndexUid(indexUid));
  }
  const query = decode(request);
  const body = await bodyOf();
  return {
    params,
    indexUid,
    query: query as never,
    body: body as never,
    access: request.access ?? FULL_ACCESS,
    request,
    reply,
  };
}

async function decodeBody(one: AnyRoute, request: FastifyRequest, limit: number): Promise<unknown> {
  if (one.body === undefined) return undefined;
  mediaTypeOf(request, JSON_ONLY);
  if (one.receiver !== undefined) return one.receiver.receive(request.raw, limit);
  const bytes = await readBody(request.raw, limit);
  if (bytes.length < LARGE_BODY) return unwrap(decodeJson(one.body, bytes));
  const decoded = unwrap(await decodeLargeJson(one.body, bytes));
  await setImmediate();
  return decoded;
}

/** The decoded value; a problem is thrown as the error to answer. */
export function unwrap<T>(decoded: Decoded<T>): T {
  if ('value' in decoded) return decoded.value;
  throw new ApiError(decoded.problem.code, decoded.problem.message);
}

/** The query string of a request as sent, without its question mark. */
export function rawQuery(request: FastifyRequest): string {
  const { url = '' } = request.raw;
  const mark = url.indexOf('?');
  return mark === -1 ? '' : url.slice(mark + 1);
}

function send(reply: FastifyReply, answer: Answer | undefined): void {
  if (answer === undefined) {
    reply.send();
  } else if (answer instanceof RawAnswer) {
    // The first bytes of a stream may be long in coming; its listener shall know that it is there.
    reply.raw.once('pipe', () => reply.raw.flushHeaders());
    reply.header('content-type', answer.contentType).send(answer.content);
  } else {
    reply.header('content-type', 'application/json').send(jsonBytes(answer));
  }
}

/** Answers go out as bytes: to text the framework would add a charset. */
function jsonBytes(answer: Answer): Buffer {
  if (Buffer.isBuffer(answer)) return answer;
  return Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer));
}
