import type { FastifyRequest } from 'fastify';
import { ApiError } from '../errors/api-error.js';

/** A media type that a route takes. */
export type MediaType = 'application/json' | 'application/x-ndjson' | 'text/csv';

/** The only media type of most routes. */
export const JSON_ONLY: readonly MediaType[] = ['application/json'];

/** The media type of a request, if it is one of those accepted; parameters and letter case do not count. */
export function mediaTypeOf(request: FastifyRequest, accepted: readonly MediaType[]): MediaType {
  const header = request.headers['content-type'];
  const found =
    accepted.find((type) => type === header) ??
    accepted.find((type) => type === withoutParameters(header).toLowerCase());
  if (found === undefined) throw refusedContentType(header, accepted);
  return found;
}

/** The error of a Content-Type header that a route does not take. */
export function refusedContentType(
  header: string | undefined,
  accepted: readonly MediaType[],
): ApiError {
  const list = accepted.map((type) => `\`${type}\``).join(', ');
  const expected = `Accepted values for the Content-Type header are: ${list}`;
  if (header === undefined) {
    return new ApiError('missing_content_type', `A Content-Type header is missing. ${expected}`);
  }
  const shown = withoutParameters(header);
  return new ApiError(
    'invalid_content_type',
    `The Content-Type \`${shown}\` is invalid. ${expected}`,
  );
}

function withoutParameters(header: string | undefined): string {
  return header?.split(';', 1)[0]?.trim() ?? '';
}
