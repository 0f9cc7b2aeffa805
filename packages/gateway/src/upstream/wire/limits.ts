/** What conversations with upstreams over HTTP may take. */

/** Times and numbers; tests have smaller ones. */
export interface WireLimits {
  /** Discovery, or the handshake of 2025. */
  readonly handshakeMs: number;
  /** The same for HTTP with SSE, whose stream has to open first. */
  readonly sseHandshakeMs: number;
  /** The longest silence of an answer that has begun. */
  readonly idleMs: number;
  /** The longest silence of a stream of notices; whether the other side still lives is left to TCP before. */
  readonly streamIdleMs: number;
  /** A message that nobody waits for: a cancel, a goodbye. */
  readonly asideMs: number;
  /** Conversations of 2025 without a call end after this time. */
  readonly sessionIdleMs: number;
  /** Conversations of one connection. */
  readonly maxSessions: number;
  /** What was found out about a server is asked again after this time. */
  readonly factsMs: number;
  /** The wait before a lost stream is opened again: doubled each time. */
  readonly firstBackoffMs: number;
  readonly lastBackoffMs: number;
}

export const WIRE_LIMITS: WireLimits = {
  handshakeMs: 10_000,
  sseHandshakeMs: 15_000,
  idleMs: 60_000,
  streamIdleMs: 30 * 60_000,
  asideMs: 5_000,
  sessionIdleMs: 5 * 60_000,
  maxSessions: 200,
  factsMs: 24 * 60 * 60_000,
  firstBackoffMs: 1_000,
  lastBackoffMs: 60_000,
};

/** Bytes of an answer to the handshake, of a notice, and of anything else that is no result of a call. */
export const MAX_ASIDE_BYTES = 1024 * 1024;

/** Questions of one call that are open at once. */
export const MAX_QUESTIONS = 32;

/** Requests of a server during one call, those apart that only see whether we live. */
export const MAX_SERVER_REQUESTS = 100;

/** Replies of one conversation that are on their way, and those that wait for it. */
export const MAX_REPLIES = 8;
export const MAX_WAITING_REPLIES = 100;
