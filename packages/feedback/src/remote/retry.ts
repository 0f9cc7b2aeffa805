/** When a request is sent again, and how long that takes. */

/** Time and chance, as a test may replace them. */
export interface Times {
  now(): number;
  /** From 0 to 1. */
  random(): number;
  /** Ends early with the reason of the signal. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** How long and how often. */
export interface RemoteLimits {
  readonly attempts: number;
  readonly attemptMs: number;
  /** For one call of a tool with all its requests; a pause that would end later is not waited for. */
  readonly totalMs: number;
}

/** The limits that hold unless a test changes them; most clients give up on a call after 60 seconds. */
export const REMOTE_LIMITS: RemoteLimits = { attempts: 3, attemptMs: 30_000, totalMs: 50_000 };

/** The real ones. */
export const SYSTEM_TIMES: Times = {
  now: Date.now,
  random: Math.random,
  wait(ms, signal) {
    const gate = Promise.withResolvers<void>();
    if (signal.aborted) gate.reject(signal.reason);
    const handle = setTimeout(gate.resolve, ms);
    const onAbort = () => gate.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    return gate.promise.finally(() => {
      clearTimeout(handle);
      signal.removeEventListener('abort', onAbort);
    });
  },
};

const FIRST_WAIT_MS = 1000;

/** The wait after the given attempt when the server does not say: 1 s, 2 s, 4 s, each times 0.5 to 1.5. */
export function tableWaitMs(attempt: number, random: number): number {
  return FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + random);
}

/** What `Retry-After` asks for; undefined when it says nothing that can be read. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  // Each of the three forms of an HTTP date begins with the name of a day.
  const at = /^(?:mon|tue|wed|thu|fri|sat|sun)/i.test(text) ? Date.parse(text) : Number.NaN;
  return at >= now ? at - now : undefined;
}
