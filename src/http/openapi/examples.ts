import recorded from './examples.json' with { type: 'json' };

/** A request that was sent to a server, and its answer. */
export interface RouteExample {
  /** Parts of the path. */
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly contentType?: string;
  readonly body?: unknown;
  readonly status: number;
  readonly answerType?: string;
  readonly answer?: unknown;
}

/** One example for each route, by method and path pattern; `npm run examples` records them anew. */
export const EXAMPLES = recorded as Readonly<Record<string, RouteExample>>;
