import type { FastifyRequest } from 'fastify';

/** Headers that say yes or no, under all of their names; existing clients use the second one. */
const HEADERS = {
  'include-metadata': ['svc-include-metadata', 'meili-include-metadata'],
  'proxy-search': ['svc-proxy-search', 'meili-proxy-search'],
} as const;

/** Whether a header that says yes or no says yes. */
export function hasFlag({ headers }: FastifyRequest, name: keyof typeof HEADERS): boolean {
  const [ours, existing] = HEADERS[name];
  return headers[ours] === 'true' || headers[existing] === 'true';
}
