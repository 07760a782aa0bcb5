import { ERROR_CODES, type ErrorCode } from '../../errors/codes.js';
import { codesOf } from '../../validation/schema-codes.js';
import type { AnyRoute } from '../route.js';
import type { AnsweredCode, RouteNotes } from './route-notes.js';
import type { Json } from './schema-book.js';

const BODY_CODES: readonly ErrorCode[] = [
  'bad_request',
  'missing_content_type',
  'invalid_content_type',
  'unsupported_media_type',
  'missing_payload',
  'malformed_payload',
  'payload_too_large',
];

/** Codes of writes: the queue takes no more when the disk is full or after its compaction. */
const WRITE_CODES: readonly ErrorCode[] = ['no_space_left_on_device', 'invalid_state'];

/** Answers that routes refer to, by name. */
export type AnswerBook = Record<string, Json>;

/** The answers that refuse a request, by status, each with the codes it may carry. */
export function errorAnswers(
  one: AnyRoute,
  notes: RouteNotes,
  book: AnswerBook,
): Record<string, Json> {
  const byStatus = new Map<number, Set<ErrorCode>>();
  for (const answered of allCodes(one, notes)) {
    const [code, status] =
      typeof answered === 'string' ? [answered, ERROR_CODES[answered].status] : answered;
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  const entries = [...byStatus].sort(([one], [other]) => one - other);
  return {
    ...Object.fromEntries(
      entries.map(([status, codes]) => [status, errorAnswer([...codes], book)]),
    ),
    ...(one.shape === undefined
      ? {}
      : { 405: { description: `There only in the ${one.shape} shape of the interface` } }),
  };
}

/** Answers with few codes are the same for many routes; they stand among the components. */
const MOST_SHARED_CODES = 3;

function errorAnswer(codes: ErrorCode[], book: AnswerBook): Json {
  codes.sort();
  const answer = {
    description: codes.map((code) => `\`${code}\`: ${ERROR_CODES[code].doc}`).join('\n\n'),
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Error' },
            { type: 'object', properties: { code: { enum: codes } } },
          ],
        },
      },
    },
  };
  if (codes.length > MOST_SHARED_CODES) return answer;
  const name = codes.map(pascalCase).join('Or');
  book[name] = answer;
  return { $ref: `#/components/responses/${name}` };
}

function pascalCase(code: string): string {
  return code.replace(/(?:^|_)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function allCodes(one: AnyRoute, { codes = [], answers }: RouteNotes): AnsweredCode[] {
  const isWrite = Object.keys(answers).includes('202') || /^\/(tasks|export)/.test(one.path);
  return [
    ...codes,
    // A path that cannot be decoded, an unforeseen failure, a server that is shutting down.
    'bad_request',
    'internal',
    ['internal', 503],
    ...(one.actions === undefined ? [] : accessCodes(one)),
    ...(one.path.includes(':indexUid') || /:(workspace|rule)Uid/.test(one.path)
      ? (['invalid_index_uid'] as const)
      : []),
    ...(one.query === undefined ? [] : codesOf(one.query)),
    ...(one.body === undefined ? [] : codesOf(one.body)),
    ...(one.body === undefined && one.accepts === undefined ? [] : BODY_CODES),
    ...(isWrite && one.method !== 'GET' ? WRITE_CODES : []),
  ];
}

function accessCodes({ actions = [], shape }: AnyRoute): AnsweredCode[] {
  return [
    'missing_authorization_header',
    'invalid_api_key',
    // The earlier shape answers a missing key like a wrong one.
    ...(shape === 'current' ? [] : [['missing_authorization_header', 403] as const]),
    ...(actions.some((action) => action.startsWith('keys.'))
      ? (['missing_master_key'] as const)
      : []),
  ];
}
