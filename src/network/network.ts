/** Another server that answers searches of this one. Its keys are stored and shown in clear. */
export interface Remote {
  readonly url: string;
  readonly searchApiKey: string | null;
  readonly writeApiKey: string | null;
}

/** A part of the documents, and the servers that hold it. */
export interface Shard {
  readonly remotes: readonly string[];
}

/** The servers that this one knows; keys in the order of the wire. */
export interface Network {
  /** The name of this server among the remotes. */
  readonly self: string | null;
  readonly remotes: Readonly<Record<string, Remote>>;
  readonly shards: Readonly<Record<string, Shard>>;
  /** Always null: networks with a leader are not of this edition. */
  readonly leader: null;
  /** A UUID that is new after each change; all zeros before the first. */
  readonly version: string;
}

/** A network that nothing was said of yet. */
export const NO_NETWORK: Network = {
  self: null,
  remotes: {},
  shards: {},
  leader: null,
  version: '00000000-0000-0000-0000-000000000000',
};
