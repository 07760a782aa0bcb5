/** What the wire says about one error code. */
export interface ErrorSpec {
  readonly status: number;
  readonly type: 'invalid_request' | 'auth' | 'internal' | 'system';
  /** When it is answered, for `docs/errors.md`; `(task)` marks errors that only tasks carry. */
  readonly doc: string;
}
