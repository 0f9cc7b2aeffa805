/** Owns the requests the bench sends and the answers it accepts. */
import { Agent, request } from 'node:http';
import { modern, modernHeaders as headersOf } from '@parley/test-support/wire';
import type { Message } from '@parley/test-support/wire';

/** The requests of the hot path: a call and a list, and a call of one tool as an agent has it and as others do. */
export type RequestKind = 'call' | 'list' | 'agent call' | 'plain call';

/** The tool of agents that does least, and its plain twin. */
export const AGENT_TOOL = 'corvid_credit_config';
export const PLAIN_TOOL = 'credit_config';

const TEXT = 'hi';
const REQUESTS = {
  call: { method: 'tools/call', params: { name: 'echo', arguments: { text: TEXT } } },
  list: { method: 'tools/list', params: {} },
  'agent call': { method: 'tools/call', params: { name: AGENT_TOOL, arguments: {} } },
  'plain call': { method: 'tools/call', params: { name: PLAIN_TOOL, arguments: {} } },
} as const;
const client = { 'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' } };

/** A request of the revision that is measured. */
function modernRequest(kind: RequestKind, id: number): Message {
  const { method, params } = REQUESTS[kind];
  return modern(method, params, { id, meta: client });
}

/** The body of a modern request. */
export function modernBody(kind: RequestKind, id: number): string {
  return JSON.stringify(modernRequest(kind, id));
}

/** The headers of a modern request, without Host and Content-Length. */
export function modernHeaders(kind: RequestKind, key: string): Record<string, string> {
  return { ...headersOf(modernRequest(kind, 0)), authorization: `Bearer ${key}` };
}

/** Throws a sentence unless the body is the right answer to that request. */
export function assertAnswer(kind: RequestKind, id: number, toolCount: number, body: string): void {
  const seen = body.slice(0, 300);
  // parsed JSON has no type of its own; every field used is compared below
  const answer = JSON.parse(body) as {
    id?: unknown;
    result?: {
      resultType?: string;
      isError?: boolean;
      structuredContent?: { text?: string; config?: { enforce?: boolean } };
      content?: { text?: string }[];
      tools?: { name: string }[];
    };
  };
  const result = answer.result;
  if (answer.id !== id || result?.resultType !== 'complete' || result.isError) {
    throw new Error(`The answer to ${REQUESTS[kind].method} is not a complete result: ${seen}`);
  }
  if (kind === 'agent call' || kind === 'plain call') {
    const isConfig = result.structuredContent?.config?.enforce === false;
    if (!isConfig) throw new Error(`The tool did not answer with the settings: ${seen}`);
    return;
  }
  if (kind === 'call') {
    const isEcho = result.structuredContent?.text === TEXT && result.content?.[0]?.text;
    if (!isEcho) throw new Error(`The echo tool did not answer with the text sent: ${seen}`);
    return;
  }
  const names = new Set(result.tools?.map((tool) => tool.name));
  if (names.size !== toolCount || !names.has('echo')) {
    throw new Error(`tools/list shows ${names.size} tools where ${toolCount} were expected.`);
  }
}

/** One answer over the wire, and how long it took. */
export interface Exchange {
  status: number;
  body: string;
  elapsedMs: number;
}

/** Sends one request over a connection of its own. */
export function exchange(url: string, headers: Record<string, string>, body: string): Promise<Exchange> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const startedMs = performance.now();
  return new Promise<Exchange>((resolve, reject) => {
    const length = { 'Content-Length': String(Buffer.byteLength(body)) };
    const req = request(url, { method: 'POST', agent, headers: { ...headers, ...length } }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () => {
        resolve({
          status: res.statusCode ?? 0,
          body: Buffer.concat(chunks).toString(),
          elapsedMs: performance.now() - startedMs,
        });
      });
    });
    req.on('error', reject);
    req.end(body);
  }).finally(() => agent.destroy());
}

/** Sends one modern request and throws unless its answer is right. */
export async function checkedExchange(target: {
  url: string;
  key: string;
  kind: RequestKind;
  toolCount: number;
}): Promise<Exchange> {
  // eight digits, as under load, so that sizes compare
  const id = 99_999_999;
  const answer = await exchange(
    target.url,
    modernHeaders(target.kind, target.key),
    modernBody(target.kind, id),
  );
  if (answer.status !== 200) {
    throw new Error(
      `${REQUESTS[target.kind].method} answered HTTP ${answer.status}: ${answer.body.slice(0, 300)}`,
    );
  }
  assertAnswer(target.kind, id, target.toolCount, answer.body);
  return answer;
}
