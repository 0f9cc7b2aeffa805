/** Owns the way to one address that is asked again and again: its check is remembered for moments, its answers are capped. */
import type { Connections, Lane } from './connections.ts';
import { invalid } from './errors.ts';
import { LineCall } from './line-call.ts';
import type { EgressLimits } from './policy.ts';
import { CONNECTION_HEADERS } from './request.ts';
import type { Target } from './target.ts';
import { isLiteral } from './target.ts';

/** What stands before the body of an answer; the names of headers are in lower case. */
export interface LineHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** An answer that was collected, or whose body went to a reader. */
export interface LineAnswer extends LineHead {
  /** Empty where a reader had the body. */
  readonly text: string;
}

/** Takes a body as it comes. What it throws ends the request with that error. */
export interface LineReader {
  /** True: nothing more is wanted, and the answer counts as complete. */
  read(chunk: Uint8Array): boolean;
  /** Until when, by `performance.now()`, the server had to wait for us: its silence counts from then on. */
  heldUpUntilMs?(): number;
}

/** One request over a line. */
export interface LineRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whose sockets it takes; a call unless told. */
  readonly lane?: Lane | undefined;
  /** Time for all of it; `Infinity` for streams that nobody ends. */
  readonly limitMs: number;
  /** The longest silence after the answer has begun. */
  readonly idleMs: number;
  /** Size of a collected body after decompression. */
  readonly maxBytes: number;
  /** Chooses by the head who reads the body; undefined: it is collected. */
  readerFor?(head: LineHead): LineReader | undefined;
}

/** A way to one address, which never follows redirects. */
export interface Line {
  readonly url: URL;
  /** Sends a request; rejects with an `EgressError`, the reason of the signal, or what a reader threw. */
  send(request: LineRequest): Promise<LineAnswer>;
}

/** What a line is made of. */
export interface LineParts {
  /** Checks the address and pins what it resolves to. */
  readonly check: () => Promise<Target>;
  readonly connections: Connections;
  readonly limits: EgressLimits;
}

// Connections stay pinned to what was checked; only how soon a name's new addresses are noticed depends on it.
const CHECKED_FOR_MS = 5_000;

export function createLine(url: URL, { check, connections, limits }: LineParts): Line {
  const path = url.pathname + url.search;
  const keepMs = isLiteral(url.hostname) ? Infinity : CHECKED_FOR_MS;
  let checked: { readonly target: Target; readonly untilMs: number } | undefined;
  let checking: Promise<Target> | undefined;

  const recheck = async (): Promise<Target> => {
    try {
      const [target] = await Promise.all([check(), connections.ready()]);
      checked = { target, untilMs: performance.now() + keepMs };
      return target;
    } finally {
      checking = undefined;
    }
  };

  const start = (target: Target, request: LineRequest): Promise<LineAnswer> => {
    const call = new LineCall(request, limits.maxCompressionRatio);
    const headers = { ...request.headers, 'accept-encoding': 'identity' };
    const { method, lane, body = null } = request;
    call.start((handler) => connections.dispatch(target, { method, path, headers, body, lane }, handler));
    return call.answer;
  };

  return {
    url,
    send(request) {
      const refusal = refusalOf(request);
      if (refusal !== undefined) return Promise.reject(refusal);
      if (checked !== undefined && performance.now() < checked.untilMs) return start(checked.target, request);
      checking ??= recheck();
      return checking.then((target) => start(target, request));
    },
  };
}

function refusalOf({ headers, signal }: LineRequest): Error | undefined {
  if (signal?.aborted === true) return signal.reason as Error; // whatever the caller gave as its reason
  for (const name in headers) {
    if (CONNECTION_HEADERS.has(name))
      return invalid(`The header ${name} is set by the connection itself. Leave it out.`, false);
  }
  return undefined;
}
