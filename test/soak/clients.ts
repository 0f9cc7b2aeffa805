/** Owns what clients of both eras do to the server during a soak, and what each may be answered. */
import type { ClientRequest } from 'node:http';
import type { Answer, Sending } from '@parley/test-support/wire';
import {
  modern,
  modernCall,
  modernHeaders,
  open,
  responseOf,
  send,
  sendModern,
} from '@parley/test-support/wire';

/** An endpoint of the server, as a client reaches it. */
export type Endpoint = Pick<Sending, 'port' | 'key'> & { readonly path: string };

/** How a call ended, for the tally: `done`, the code of an error, or a status. */
export type Outcome = string;

const CODE = 'dev.parley/code';
const LEGACY = '2025-06-18';
const JSON_TYPES = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const CLIENT = { name: 'soak', version: '1.0.0' };
let count = 0;

/** What nobody else sends: an answer with another one belongs to somebody else. */
const canary = () => ({ canary: `canary-${(count += 1)}` });

/** Calls a tool as a client of 2026-07-28. */
export async function callModern(to: Endpoint, tool: string): Promise<Outcome> {
  const args = canary();
  return outcomeOf(await sendModern(to, modernCall(tool, args)), tool === 'echo' ? args : undefined);
}

/** Lists tools as a client of 2026-07-28. */
export async function listModern(to: Endpoint): Promise<Outcome> {
  return outcomeOf(await sendModern(to, modern('tools/list')));
}

/** Calls a tool over the plain route. */
export async function callPlain(to: Endpoint, tool: string): Promise<Outcome> {
  const { status } = await send({
    ...to,
    path: `${to.path}/call-tool/${tool}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(canary()),
  });
  return status === 200 ? 'done' : `plain ${status}`;
}

/** Opens a session of 2025, holds its stream open while it lists and calls, and ends it. */
export async function useSession(to: Endpoint, tools: readonly string[]): Promise<Outcome> {
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: CLIENT };
  const post = (method: string, more: object, headers: Record<string, string> = {}) =>
    send({
      ...to,
      headers: { ...JSON_TYPES, ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', method, ...more }),
    });
  const hello = await post('initialize', { id: 1, params });
  const session = hello.headers['mcp-session-id'];
  if (typeof session !== 'string') return outcomeOf(hello);
  const headers = { 'mcp-session-id': session, 'mcp-protocol-version': LEGACY };
  await post('notifications/initialized', {}, headers);
  const stream = open({ ...to, method: 'GET', headers: { ...headers, accept: 'text/event-stream' } });
  // It is broken off below, which is an error to whoever waits for its answer.
  stream.on('error', () => undefined).on('response', (response) => response.resume());
  try {
    let last = outcomeOf(await post('tools/list', { id: 2 }, headers));
    for (const [at, tool] of tools.entries()) {
      const args = canary();
      const answer = await post(
        'tools/call',
        { id: at + 3, params: { name: tool, arguments: args } },
        headers,
      );
      last = outcomeOf(answer, tool === 'echo' ? args : undefined);
    }
    return last;
  } finally {
    stream.destroy();
    await send({ ...to, method: 'DELETE', headers });
  }
}

/** Sends a call and goes away without its answer. */
export async function breakOff(to: Endpoint, tool: string, afterMs: number): Promise<Outcome> {
  const message = modernCall(tool, canary());
  const request = open({ ...to, headers: modernHeaders(message), body: JSON.stringify(message) });
  // The answer may have been quicker; nobody reads it.
  request.on('response', (response) => response.on('error', () => undefined).resume());
  await leaveAfter(request, afterMs);
  return 'broken off';
}

/** Listens for changes for a while, and goes away. */
export async function listen(to: Endpoint, forMs: number): Promise<Outcome> {
  const message = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
  const request = open({ ...to, headers: modernHeaders(message), body: JSON.stringify(message) });
  const response = await responseOf(request);
  response.on('error', () => undefined).resume();
  await leaveAfter(request, forMs);
  return response.statusCode === 200 ? 'listened' : `status ${response.statusCode}`;
}

/** Ends with the request: by its answer, or broken off after a while. */
async function leaveAfter(request: ClientRequest, afterMs: number): Promise<void> {
  const closed = Promise.withResolvers<void>();
  // To be broken off is an error to the request.
  request.on('error', () => undefined).once('close', closed.resolve);
  const timer = setTimeout(() => request.destroy(), afterMs);
  await closed.promise;
  clearTimeout(timer);
}

function outcomeOf({ status, json, text }: Answer, echoed?: object): Outcome {
  if (json?.error !== undefined) return `status ${status}, error ${json.error.code}`;
  const result = json?.result;
  if (status !== 200 || result === undefined) return `status ${status}: ${text.slice(0, 100)}`;
  if (result.isError === true) return String(result._meta?.[CODE] ?? 'an error without a code');
  if (echoed !== undefined && result.content?.[0]?.text !== JSON.stringify(echoed))
    return 'the answer of another';
  return 'done';
}
