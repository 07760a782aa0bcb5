import { randomUUID } from 'node:crypto';
import { type ApiError, errorBody } from '../errors/api-error.js';

/** What is said of an error besides its type and message. */
interface Details {
  readonly code?: string | null;
  readonly param?: string | null;
}

/** A provider that failed; ends the answer. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly type: string;
  readonly details: Details;

  constructor(type: string, message: string, details: Details = {}) {
    super(message);
    this.type = type;
    this.details = details;
  }
}

/** The error that a provider describes by JSON, in the ways known; `undefined` when it does not. */
export function describedError(json: unknown, status?: number): ProviderError | undefined {
  if (!isObject(json)) return undefined;
  const error = isObject(json.error) ? json.error : json;
  const isError = error !== json || json.object === 'error' || json.type === 'error';
  const message = textOf(error.message) ?? textOf(json.error) ?? textOf(json.detail);
  if (message === undefined || (!isError && status === undefined)) return undefined;
  return new ProviderError(textOf(error.type) ?? 'response_error', message, {
    code: textOf(error.code) ?? (status === undefined ? null : String(status)),
    param: textOf(error.param) ?? null,
  });
}

/** The event that tells a client of an error. */
export function errorEvent(error: ProviderError | ApiError): object {
  const { message } = error;
  const { type, code, param } =
    error instanceof ProviderError
      ? { type: error.type, ...error.details }
      : { ...errorBody(error.code, message), param: null };
  return {
    event_id: randomUUID(),
    type: 'error',
    error: { type, code: code ?? null, message, param: param ?? null, event_id: null },
  };
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
