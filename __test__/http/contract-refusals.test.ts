import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServer } from '../../src/http/create-server.js';
import { fakeServices } from './fake-services.js';

/** The recorded conversations whose refusals come from the HTTP layer alone. */
const FILES = [
  'admin/auth-errors',
  'admin/batches',
  'admin/documents-add',
  'admin/documents-delete',
  'admin/documents-formats',
  'admin/documents-read',
  'admin/indexes-create',
  'admin/indexes-list',
  'admin/indexes-swap',
  'admin/indexes-update',
  'admin/routes',
  'admin/stats-version',
  'admin/tasks-cancel-delete',
  'admin/tasks-list',
  'search/body-parameters',
  'search/query-string',
  'settings/chat',
  'settings/embedders',
  'settings/filterable-granular',
  'settings/sub-routes',
  'settings/validation',
  'settings/whole-object',
];

interface Step {
  readonly req?: {
    readonly method: string;
    readonly path: string;
    readonly headers?: Record<string, string | null>;
    readonly body?: unknown;
    readonly raw?: string;
  };
  readonly res?: { readonly status: number; readonly contentType: string; readonly body: unknown };
}

const MASTER_KEY = 'masterKey';

function steps(file: string): Step[] {
  const path = new URL(`../contract/cases/${file}.json`, import.meta.url);
  const { cases } = JSON.parse(readFileSync(path, 'utf8')) as { cases: { steps: Step[] }[] };
  return cases.flatMap((one) => one.steps);
}

/** Whether a step is refused before any storage or engine is asked, so that a fake will do. */
function isOurs({ req, res }: Step): boolean {
  if (req === undefined || res === undefined || res.status < 400) return false;
  const { code, message = '' } = (res.body ?? {}) as { code?: string; message?: string };
  if (res.status === 404 && code !== undefined) return false;
  if (/\{[a-z]\.\w+\}/.test(req.path)) return false;
  if (code === 'malformed_payload' && !message.startsWith('The json')) return false;
  if (
    /^Index `|^Was expecting|^Invalid syntax|^Attribute `|^Cannot find embedder|^Document `/.test(
      message,
    )
  ) {
    return false;
  }
  return !OF_OTHER_PARTS.some((part) => part.test(`${req.path} ${message}`));
}

/** Routes and messages that other parts of the product bring. */
const OF_OTHER_PARTS = [
  /^\/(keys|webhooks|multi-search|export|network|logs|dumps|snapshots|metrics)/,
  /\/(fields|compact|documents\/edit|facet-search)( |$)/,
  /^\/tasks\/\w+\/documents/,
  /CONTAINS/,
  /Error while generating embeddings|cannot parse template/,
];

describe('recorded refusals', () => {
  let app: FastifyInstance;
  beforeAll(async () => {
    const { services } = fakeServices();
    app = await createServer(services, { masterKey: MASTER_KEY, payloadSizeLimit: 100_000_000 });
  });
  afterAll(() => app.close());

  test.each(FILES)('%s: the same status, content type and message', async (file) => {
    const differences: unknown[] = [];
    for (const step of steps(file).filter(isOurs)) {
      const got = await replay(app, step);
      const want = { ...step.res, body: textOf(step.res?.body) };
      if (!matches(want, got)) differences.push(JSON.stringify({ request: step.req, want, got }));
    }
    expect(differences).toEqual([]);
  });
});

interface Shown {
  readonly status?: number;
  readonly contentType?: string;
  readonly body: string;
}

async function replay(app: FastifyInstance, { req }: Step): Promise<Shown> {
  const headers: Record<string, string> = { authorization: `Bearer ${MASTER_KEY}` };
  const payload = req?.raw ?? (req?.body === undefined ? undefined : JSON.stringify(req.body));
  if (req?.body !== undefined) headers['content-type'] = 'application/json';
  for (const [name, value] of Object.entries(req?.headers ?? {})) {
    if (value === null) delete headers[name];
    else headers[name] = value;
  }
  const response = await app.inject({
    method: req?.method as 'GET',
    url: (req?.path ?? '').replaceAll('{i}', 'run'),
    headers,
    ...(payload === undefined ? {} : { payload: payload.replaceAll('{i}', 'run') }),
  });
  const contentType = String(response.headers['content-type'] ?? '').split(';')[0] ?? '';
  return { status: response.statusCode, contentType, body: textOf(bodyOf(response.body)) };
}

const bodyOf = (text: string): unknown => (text === '' ? '' : JSON.parse(text));

/** A body as text without the link, whose address is our own. */
function textOf(body: unknown): string {
  if (typeof body !== 'object' || body === null) return String(body);
  const { link: _, ...rest } = body as Record<string, unknown>;
  return JSON.stringify(rest)
    .replaceAll('{i}', 'run')
    .replace(/https:\/\/github\.com\/[^\s"\\]+/g, '<link>')
    .replace(/`\d{10}`/g, '`<int>`')
    .replace(/meilisearch|serval/gi, '{service}');
}

/** Some recorded bodies pin a part of the fields only, in an order of their own. */
function matches(want: Shown, got: Shown): boolean {
  if (want.status !== got.status || want.contentType !== got.contentType) return false;
  if (want.body === got.body || !want.body.startsWith('{')) return want.body === got.body;
  const fields = JSON.parse(got.body) as Record<string, unknown>;
  const pinned = Object.entries(JSON.parse(want.body) as Record<string, unknown>);
  return pinned.length < 3 || pinned[0]?.[0] !== 'message'
    ? pinned.every(([name, value]) => fields[name] === value)
    : false;
}
