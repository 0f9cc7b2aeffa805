/** Owns what an owner may decide about outbound requests: listed hosts, the resolver and the limits. */

/** One address of a name, as a resolver returns it. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Finds every address of a name. */
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>;

/** The caps of one outbound request. */
export interface EgressLimits {
  /** Time to resolve the name, and again to open the connection. */
  readonly connectTimeoutMs: number;
  /** Time for the whole request with its redirects; a streamed body is bound by `streamIdleMs` instead. */
  readonly totalTimeoutMs: number;
  /** Size of a collected body after decompression. */
  readonly maxBytes: number;
  readonly maxHeaderBytes: number;
  readonly maxRedirects: number;
  /** How many times bigger than its transfer a decompressed body may be. */
  readonly maxCompressionRatio: number;
  /** Longest silence of a streamed body. */
  readonly streamIdleMs: number;
}

/** The limits that hold unless the policy changes them. */
export const DEFAULT_EGRESS_LIMITS: Readonly<EgressLimits> = {
  connectTimeoutMs: 5_000,
  totalTimeoutMs: 30_000,
  maxBytes: 10 * 1024 * 1024,
  maxHeaderBytes: 64 * 1024,
  maxRedirects: 3,
  maxCompressionRatio: 100,
  streamIdleMs: 60_000,
};

/** What the owner decided for all outbound requests of one egress. */
export interface EgressPolicy {
  /** Entries `host` or `host:port` that may be reached over http and in private ranges; metadata services never. */
  readonly allow?: readonly string[] | undefined;
  /** Defaults to the resolver of the operating system. */
  readonly resolve?: Resolve | undefined;
  readonly limits?: Partial<EgressLimits> | undefined;
}
