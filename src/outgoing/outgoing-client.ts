import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Agent, buildConnector, RequestInit, Response } from 'undici';
import { guardedLookup } from './guarded-lookup.js';
import type { IpPolicy } from './ip-policy.js';
import { RejectedIpError } from './rejected-ip-error.js';
import { withoutUser } from './url-user.js';

/** How patient a client is, and how it finds addresses. */
export interface OutgoingOptions {
  /** Milliseconds to connect, names and TLS included; 10 000 when left out. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds from a sent request to the headers of its answer; 30 000 when left out. */
  readonly headersTimeoutMs?: number;
  /** Milliseconds between two parts of an answer; 30 000 when left out. */
  readonly bodyTimeoutMs?: number;
  /** Connections to one origin at most; 16 when left out. */
  readonly connectionsPerOrigin?: number;
  /** Finds the addresses of a name; the resolver of the system when left out. */
  readonly lookup?: LookupFunction;
}

/**
 * Calls other servers over HTTP, at addresses that a policy allows and at no others: what is checked
 * is the address that is connected to, for the first request and for each redirect alike, so neither
 * a name, nor a name that changes, nor a way to write an address leads around it. Connections are
 * kept and used again. Proxies of the environment are not used.
 */
export interface OutgoingClient {
  /**
   * Like the `fetch` of the platform, for http and https alone, but that an address may name a user
   * and a password. Throws a `RejectedIpError` when the policy refuses the address, otherwise what
   * `fetch` throws. The caller reads or cancels the body
   * of the answer; until then a connection is taken.
   */
  fetch(url: string | URL, init?: Omit<RequestInit, 'dispatcher'>): Promise<Response>;
  /** Ends the running requests, which throw, and closes every connection. */
  close(): Promise<void>;
}

/** A client for the addresses that a policy allows. Loads its HTTP code with the first request. */
export function createOutgoingClient(
  policy: IpPolicy,
  options: OutgoingOptions = {},
): OutgoingClient {
  let opened: Promise<Opened> | undefined;
  let isClosed = false;
  return {
    async fetch(address, init = {}) {
      const { url, authorization } = withoutUser(address);
      const { protocol } = url;
      if (protocol !== 'http:' && protocol !== 'https:') {
        throw new TypeError(`\`${protocol}\` is not http or https`);
      }
      if (isClosed) throw new Error('the client is closed');
      opened ??= open(policy, options);
      const { agent, fetch, Headers } = await opened;
      try {
        const headers = new Headers(init.headers);
        if (authorization !== undefined && !headers.has('authorization')) {
          headers.set('authorization', authorization);
        }
        return await fetch(url, { ...init, headers, dispatcher: agent });
      } catch (error) {
        throw rejectionIn(error) ?? error;
      }
    },
    async close() {
      isClosed = true;
      await (await opened)?.agent.destroy();
    },
  };
}

interface Opened extends Pick<typeof import('undici'), 'fetch' | 'Headers'> {
  readonly agent: Agent;
}

async function open(policy: IpPolicy, options: OutgoingOptions): Promise<Opened> {
  const { Agent, buildConnector, fetch, Headers } = await import('undici');
  const connector = buildConnector({
    timeout: options.connectTimeoutMs ?? 10_000,
    lookup: guardedLookup(policy, options.lookup ?? systemLookup),
  } as buildConnector.BuildOptions);
  const agent = new Agent({
    connect: guardedConnector(policy, connector),
    connections: options.connectionsPerOrigin ?? 16,
    headersTimeout: options.headersTimeoutMs ?? 30_000,
    bodyTimeout: options.bodyTimeoutMs ?? 30_000,
  });
  return { agent, fetch, Headers };
}

/** Literal addresses are not looked up, so they are checked before connecting. */
function guardedConnector(
  policy: IpPolicy,
  connect: buildConnector.connector,
): buildConnector.connector {
  return (target, callback) => {
    if (isIP(target.hostname) !== 0 && !policy.allows(target.hostname)) {
      callback(new RejectedIpError(target.hostname), null);
      return;
    }
    connect(target, callback);
  };
}

/** The refusal that made a request fail, however deep `fetch` has wrapped it. */
function rejectionIn(error: unknown): RejectedIpError | undefined {
  if (error instanceof RejectedIpError) return error;
  return error instanceof Error ? rejectionIn(error.cause) : undefined;
}
