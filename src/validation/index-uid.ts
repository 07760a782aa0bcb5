import * as z from 'zod';
import type { ErrorCode } from '../errors/codes.js';
import { coded } from './field-rules.js';

/** The longest uid of an index, in bytes (which for accepted ones are characters). */
const MAX_UID_LENGTH = 400;

/** Whether text can name an index. */
export function isIndexUid(text: string): boolean {
  return text.length <= MAX_UID_LENGTH && /^[a-zA-Z0-9_-]+$/.test(text);
}

/** Why text cannot name an index. */
export function invalidIndexUid(text: string): string {
  return `\`${text}\` is not a valid index uid. Index uid can be an integer or a string containing only alphanumeric characters, hyphens (-) and underscores (_), and can not be more than 512 bytes.`;
}

/** The uid of an index in a body or query, refused with the given code. */
export function indexUid(code: ErrorCode) {
  return coded(
    code,
    z.string().refine(isIndexUid, { error: (issue) => invalidIndexUid(String(issue.input)) }),
  );
}

/** A pattern of uids in a body, refused with the given code. */
export function indexUidPattern(code: ErrorCode) {
  return coded(
    code,
    z.string().refine(isIndexUidPattern, {
      error: ({ input }) =>
        `\`${String(input)}\` is not a valid index uid pattern. Index uid patterns can be an integer or a string containing only alphanumeric characters, hyphens (-), underscores (_), and optionally end with a star (*).`,
    }),
  );
}

/** Whether text is a uid or a pattern of uids: a uid with a star at its end, or a star alone. */
export function isIndexUidPattern(text: string): boolean {
  return text === '*' || isIndexUid(text.endsWith('*') ? text.slice(0, -1) : text);
}
