/** How much one request may bring. */

/** Limits that are checked before a request is looked at. */
export interface InboundLimits {
  readonly bodyBytes: number;
  readonly urlBytes: number;
  readonly headerFields: number;
  readonly jsonDepth: number;
  readonly jsonValues: number;
  readonly bodyTimeoutMs: number;
}

/** The defaults of the security specification. */
export const DEFAULT_INBOUND_LIMITS: InboundLimits = {
  bodyBytes: 4 * 1024 * 1024,
  urlBytes: 8 * 1024,
  headerFields: 100,
  jsonDepth: 64,
  jsonValues: 100_000,
  bodyTimeoutMs: 30_000,
};
