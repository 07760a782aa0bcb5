/** For the line and headers of a request: a client that sends them drop by drop is cut off. */
const HEADERS_MS = 10_000;
/** For a whole request, its body included: large imports over slow lines must fit. */
const REQUEST_MS = 30 * 60_000;
/** How long a connection without a request stays open; longer than the proxies before us wait. */
const KEEP_ALIVE_MS = 75_000;
/** How long a client may take nothing of a large answer. */
export const STALLED_ANSWER_MS = 60_000;
/** How often connections are looked at. */
const CHECK_EVERY_MS = 2000;

/** Options of a server that bound how long clients may hold a connection. */
export const TIME_LIMITS = {
  headersTimeout: HEADERS_MS,
  requestTimeout: REQUEST_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectionsCheckingInterval: CHECK_EVERY_MS,
} as const;
