import * as z from 'zod';
import { ApiError } from '../errors/api-error.js';
import { urlProblem } from '../validation/absolute-url.js';
import { coded, withRules } from '../validation/field-rules.js';
import type { Webhook } from './webhook.js';

const MAX_HEADERS = 200;

/** Body of a webhook that is made or changed; a null header is taken away. */
export const webhookChangeSchema = withRules(
  z.strictObject({
    url: coded('invalid_webhook_url', z.string()).nullish(),
    headers: coded(
      'invalid_webhook_headers',
      z.record(z.string(), z.string().nullable()),
    ).nullish(),
  }),
  { immutable: { uuid: 'immutable_webhook_uuid', isEditable: 'immutable_webhook_is_editable' } },
).meta({ id: 'WebhookChange' });

/** A webhook to make, or what changes of one. */
export type WebhookChange = z.output<typeof webhookChangeSchema>;

/**
 * The webhook after a change, checked as a whole: first that there is an address, then the headers by
 * name, then the address. `before` is absent for a new one.
 */
export function changedWebhook(
  uuid: string,
  before: Webhook | undefined,
  change: WebhookChange,
): Webhook {
  const url = change.url === undefined ? (before?.url ?? '') : (change.url ?? '');
  const headers = changedHeaders(before, change.headers);
  if (Object.keys(headers).length > MAX_HEADERS) {
    throw new ApiError(
      'invalid_webhook_headers',
      `Too many headers for the webhook \`${uuid}\`. Please limit the number of headers to ${MAX_HEADERS}. Hint: To remove an already defined header set its value to \`null\``,
    );
  }
  if (url === '') {
    throw new ApiError('invalid_webhook_url', `The URL for the webhook \`${uuid}\` is missing.`);
  }
  for (const name of Object.keys(headers).sort()) checkHeader(name, headers[name] ?? '');
  const problem = urlProblem(url);
  if (problem !== undefined) {
    throw new ApiError('invalid_webhook_url', `Invalid URL \`${url}\`: ${problem}`);
  }
  return { uuid, url, headers };
}

/** The headers after a change. A null takes one away; there is none to take from a new webhook. */
function changedHeaders(
  before: Webhook | undefined,
  change: WebhookChange['headers'],
): Record<string, string> {
  if (change === null) return {};
  const headers = new Map(Object.entries(before?.headers ?? {}));
  for (const [name, value] of Object.entries(change ?? {})) {
    if (value !== null) headers.set(name, value);
    else if (before === undefined) headers.set(name, '');
    else headers.delete(name);
  }
  return Object.fromEntries(headers);
}

/** Names are tokens, values visible text with tabs, as HTTP has them. */
function checkHeader(name: string, value: string): void {
  const refused = (message: string) => new ApiError('invalid_webhook_headers', message);
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
    throw refused(`Invalid header name \`${name}\`: invalid HTTP header name`);
  }
  const isText = [...value].every((letter) => {
    const code = letter.codePointAt(0) ?? 0;
    return code === 9 || (code >= 32 && code !== 127);
  });
  if (!isText) throw refused(`Invalid header value \`${name}\`: failed to parse header value`);
}
