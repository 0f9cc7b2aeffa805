/** Owns how a client of the fault tests asks a server, and what it makes of an answer, a refusal or none at all. */
import { Agent, request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { modern, modernHeaders } from '@parley/test-support/wire';

/** Whom to ask, and with which key. */
export interface Asked {
  readonly url: string;
  readonly key: string;
}

/** An answer, read to its end. */
export interface Told {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  // oxlint-disable-next-line typescript/no-explicit-any -- what was asked for decides its shape
  readonly json: any;
  readonly text: string;
}

/**
 * What came of a request: `done`; `unavailable` as documented, so that the caller knows to come again; `rate_limited`;
 * `cut` when the server or the way to it was gone; `late` when nothing came; or, for a fault, what was said.
 */
export type Outcome = string;

/** A client that declares the tasks extension and can be asked. */
const CAPABILITIES = { extensions: { 'io.modelcontextprotocol/tasks': {} }, elicitation: {} };
const CODE = 'dev.parley/code';
const DATA = 'dev.parley/data';
/** Longer than a busy machine takes. */
const PATIENCE_MS = 60_000;
const JSON_BODY = { 'content-type': 'application/json' };

const agent = new Agent({ keepAlive: true, maxSockets: 512 });

interface Sending {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly patienceMs?: number | undefined;
}

/** One request, whole; rejects when no whole answer came. */
export function exchange({ url, key }: Asked, sending: Sending): Promise<Told> {
  const { method = 'GET', path, headers = {}, body, patienceMs = PATIENCE_MS } = sending;
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(patienceMs);
    const all = { ...headers, authorization: `Bearer ${key}` };
    const sent = request(`${url}${path}`, { method, agent, headers: all, signal }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('error', reject);
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, json: parsed(text), text });
      });
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** A request over REST. */
export function rest(to: Asked, method: string, path: string, body?: unknown): Promise<Told> {
  return exchange(to, { method, path, headers: JSON_BODY, ...(body !== undefined && { body }) });
}

/** A message of 2026-07-28. */
export function mcp(
  to: Asked,
  method: string,
  params: Record<string, unknown>,
  patienceMs?: number,
): Promise<Told> {
  const message = modern(method, params, { capabilities: CAPABILITIES });
  const headers = modernHeaders(message);
  return exchange(to, { method: 'POST', path: '/mcp', headers, body: message, patienceMs });
}

/** Calls a tool and gives its structured answer; throws for any other. */
export async function callTool<Answer>(
  to: Asked,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Answer> {
  const told = await mcp(to, 'tools/call', { name, arguments: args });
  const found: unknown = told.json?.result?.structuredContent;
  if (outcomeOf(told) !== 'done' || found === undefined)
    throw new Error(`${name} was answered with ${told.status}: ${told.text}`);
  return found as Answer; // as the tool declares it
}

/** How an answer counts. */
export function outcomeOf({ status, headers, json }: Told): Outcome {
  const code: unknown = json?.result?._meta?.[CODE];
  if (status === 429 || code === 'rate_limited') return 'rate_limited';
  if (status === 502) return 'cut';
  if (status === 503) return headers['retry-after'] === undefined ? '503 without Retry-After' : 'unavailable';
  if (json?.result?.isError === true)
    return code === 'unavailable'
      ? comesWithATime(json.result._meta[DATA])
      : `isError ${String(code)}: ${shortly(json.result.content)}`;
  if (json?.error !== undefined) return `status ${status}: ${shortly(json.error)}`;
  return status >= 200 && status < 300 ? 'done' : `status ${status}`;
}

function comesWithATime(data: { readonly retryAfterMs?: unknown } | undefined): Outcome {
  return typeof data?.retryAfterMs === 'number' ? 'unavailable' : 'unavailable without retryAfterMs';
}

/** How it counts that no whole answer came. */
export function outcomeOfNone(error: unknown): Outcome {
  return error instanceof Error && ['TimeoutError', 'AbortError'].includes(error.name) ? 'late' : 'cut';
}

function parsed(text: string): unknown {
  const data = text.startsWith('{') ? text : text.split('\n').findLast((line) => line.startsWith('data: '));
  return data === undefined ? undefined : JSON.parse(data.replace(/^data: /, ''));
}

function shortly(value: unknown): string {
  return JSON.stringify(value).slice(0, 200);
}
