/** One request to another system through the egress guard: what it may bring back, and how long it may take. */
import type { Egress } from '@parley/kit/egress';
import { EgressError, joinPath } from '@parley/kit/egress';

export interface Asked {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
  /** Host and port of a base URL that the operator set. */
  readonly allow?: readonly string[] | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxBytes?: number | undefined;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 5 * 1024 * 1024;

/** Sends a request; rejects with an `EgressError`, or with the reason of the caller's signal. */
export async function ask(egress: Egress, url: string | URL, asked: Asked): Promise<Answered> {
  const { method = 'GET', headers = {}, body, signal, allow, timeoutMs = TIMEOUT_MS } = asked;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await egress.fetch(url, {
      method,
      headers: { 'user-agent': 'parley-agent', ...headers },
      signal: AbortSignal.any([signal, timeout]),
      stream: true,
      ...(body !== undefined && { body }),
      ...(allow !== undefined && { allow }),
    });
    const bytes = await collected(response.body, asked.maxBytes ?? MAX_BYTES);
    return { status: response.status, headers: response.headers, bytes };
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted)
      throw new EgressError('timeout', 'The server did not answer in time. Try again later.');
    throw error;
  }
}

async function collected(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > maxBytes)
      throw new EgressError('too_large', 'The answer went over the size limit. Ask for less at once.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, sizeBytes);
}

/** The JSON of an answer; undefined when it is none. */
export function jsonOf({ bytes }: Pick<Answered, 'bytes'>): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** True where the guard refused an address before anything connected to it. */
export function isBlocked(error: unknown): boolean {
  // Too many redirects are refused under the same code, after requests were sent.
  return error instanceof EgressError && error.code === 'not_allowed' && !error.wasSent;
}

/** A base URL that the operator set, with the one exception that comes with it. */
export interface OperatorBase {
  readonly url: URL;
  readonly allow: readonly string[];
}

/** Reads a base URL from a setting; a wrong one stops the start. */
export function operatorBase(flag: string, text: string): OperatorBase {
  try {
    const url = joinPath(text);
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    return { url, allow: [`${url.hostname}:${port}`] };
  } catch {
    throw new Error(
      `--${flag}: "${text.slice(0, 200)}" is not a web address. Write it as https://host/path.`,
    );
  }
}
