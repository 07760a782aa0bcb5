import { maskSecret } from '../settings/mask-secret.js';

/** An address that hears of every batch that ends. */
export interface Webhook {
  readonly uuid: string;
  readonly url: string;
  /** Further headers of the requests, names as they were written. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The uuid of the webhook that was set at launch. */
export const LAUNCH_UUID = '00000000-0000-0000-0000-000000000000';

/** A webhook as it is shown: the value of an authorization header is masked. */
export function shownWebhook({ uuid, url, headers }: Webhook): object {
  const names = Object.keys(headers).sort();
  const shown = names.map((name) => [name, shownHeader(name, headers[name] ?? '')]);
  const isEditable = uuid !== LAUNCH_UUID;
  return { uuid, isEditable, url, headers: Object.fromEntries(shown) };
}

function shownHeader(name: string, value: string): string {
  if (name.toLowerCase() !== 'authorization') return value;
  const scheme = 'Bearer ';
  return value.startsWith(scheme)
    ? `${scheme}${maskSecret(value.slice(scheme.length))}`
    : maskSecret(value);
}
