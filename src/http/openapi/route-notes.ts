import type * as z from 'zod';
import type { ErrorCode } from '../../errors/codes.js';

/** What is said of one answer of a route. */
export interface AnswerNotes {
  readonly description: string;
  /** Absent on answers without a body. */
  readonly schema?: z.ZodType;
  /** Whether the answer has the form of what may be sent by the same schema. */
  readonly asSent?: boolean;
  /** JSON when absent. */
  readonly mediaTypes?: readonly string[];
}

/** Headers that change what a route answers. */
export type RequestHeader = 'ApiShape' | 'IncludeMetadata';

/** A code, or a code that this route answers with another status than usual. */
export type AnsweredCode = ErrorCode | readonly [code: ErrorCode, status: number];

/** What the document says of a route beyond what the route itself tells. */
export interface RouteNotes {
  /** Unique, as the name of a function. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** The answers that are no error, by status. */
  readonly answers: Readonly<Record<number, AnswerNotes>>;
  /** Codes that follow neither from the schemas of the request nor from its kind. */
  readonly codes?: readonly AnsweredCode[];
  readonly headers?: readonly RequestHeader[];
}

/** The notes of one group of routes, by method and path pattern. */
export interface TagNotes {
  readonly tag: string;
  readonly description: string;
  readonly routes: Readonly<Record<string, RouteNotes>>;
}

/** An answer with a JSON body. */
export const answered = (description: string, schema: z.ZodType): AnswerNotes => ({
  description,
  schema,
});
