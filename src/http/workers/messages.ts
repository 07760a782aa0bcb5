import type { MessagePort } from 'node:worker_threads';
import type { ChangedKey } from '../../auth/key-store.js';
import type { IndexPlace } from '../../indexes/index-registry.js';
import type { LogLevel } from '../../logs/log-target.js';
import type { ApiShape } from '../api-shape.js';
import type { LoopMeasures } from '../routes/metrics.js';
import type { TlsConfig } from '../tls.js';

/** A change of what the primary knows, for the loops that answer with it. */
export type StateChange =
  | { readonly kind: 'keys'; readonly changed: readonly ChangedKey[] }
  | { readonly kind: 'features'; readonly on: Readonly<Record<string, boolean>> }
  | { readonly kind: 'indexes'; readonly places: readonly IndexPlace[] }
  | { readonly kind: 'logLevel'; readonly level: LogLevel };

/** How a loop behaves towards clients: the same as the primary. */
export interface LoopOptions {
  readonly masterKey: string | undefined;
  readonly payloadSizeLimit: number;
  readonly apiShape: ApiShape;
  readonly tls: TlsConfig;
  /** The secret of session tickets, so that each loop takes those of the others. */
  readonly ticketKeys: Uint8Array;
  /** Whether there is a service that personalises. */
  readonly personalization: boolean;
  readonly searchQueue: {
    /** Searches that this loop runs at once. */
    readonly running: number;
    /** Searches that may wait in all loops. */
    readonly waiting: number;
    readonly dropAfterMs: number;
  };
}

/** What a loop is started with. */
export interface LoopStart {
  readonly options: LoopOptions;
  /** Counts that all loops share; see `SharedCounts`. */
  readonly counts: SharedArrayBuffer;
  /** Brings the changes of the state; those before the start are among them. */
  readonly state: MessagePort;
}

/** What a loop has the primary do for it, by name: each with what it takes and gives. */
export interface PrimaryServices {
  /** Opens an index unless it is open. */
  open(uid: string): Promise<undefined>;
  /** Makes the vector of a query. */
  embed(query: object): Promise<readonly number[]>;
  /** Remembers a session of TLS. */
  putSession(id: string, data: Uint8Array): Promise<undefined>;
  /** The session of TLS that was remembered under an id. */
  session(id: string): Promise<Uint8Array | undefined>;
  /** Orders the hits of an answer. */
  personalize(answer: Uint8Array, taste: object): Promise<Uint8Array>;
}

/** A failure on its way between threads: what clients may see of it, or its trace. */
export interface PassedError {
  readonly code: string;
  readonly message: string;
  readonly stack?: string | undefined;
}

/** What the primary tells a loop. */
export type ToLoop =
  | { readonly kind: 'connection'; readonly descriptor: number }
  | { readonly kind: 'result'; readonly call: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly call: number; readonly error: PassedError }
  | { readonly kind: 'measure' }
  | { readonly kind: 'close' };

/** What a loop tells the primary. */
export type ToPrimary =
  | { readonly kind: 'ready' }
  /** A connection for requests that are passed on. */
  | { readonly kind: 'connection'; readonly descriptor: number }
  | {
      readonly kind: 'call';
      readonly call: number;
      readonly name: keyof PrimaryServices;
      readonly given: readonly unknown[];
    }
  /** Nobody waits for a call any more. */
  | { readonly kind: 'abort'; readonly call: number }
  | { readonly kind: 'measures'; readonly measures: LoopMeasures }
  | { readonly kind: 'log'; readonly line: string }
  | { readonly kind: 'closed' };
