import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageDocument } from './page-files.js';
import { RawAnswer } from './raw-answer.js';

/**
 * What pages may do: run their own files and talk to their own server. Documents may show images of
 * other places, and nothing else comes from there; text never becomes markup.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "img-src 'self' https:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
};

/** Answers with the document of a page, or says that the browser's copy is current. */
export function servePage(
  { html, entityTag }: PageDocument,
  request: FastifyRequest,
  reply: FastifyReply,
): RawAnswer | undefined {
  reply.headers({ ...HEADERS, etag: entityTag });
  if (request.headers['if-none-match']?.includes(entityTag)) {
    reply.code(304);
    return undefined;
  }
  return new RawAnswer(html, 'text/html; charset=utf-8');
}
