/** What went wrong, in the words of an error; of what was thrown and is none, the text. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The same, with what the cause of the error says behind it. */
export function reasonWithCause(error: unknown): string {
  const reason = reasonOf(error);
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? `${reason}: ${cause.message}` : reason;
}

/**
 * What went wrong, in the words of the innermost cause: an HTTP client wraps it in errors that say
 * no more than that the request failed. A cause without words, such as that no address of a name
 * took the connection, gives its code.
 */
export function innermostReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return innermostReason(error.cause) || error.message;
  return error.message || ((error as NodeJS.ErrnoException).code ?? '');
}
