/** Owns the requests the bench sends and the answers it accepts. */
import { Agent, request } from 'node:http';
import { modern, modernHeaders as headersOf } from '@parley/test-support/wire';
import type { Message } from '@parley/test-support/wire';

/** The two requests of the hot path. */
export type RequestKind = 'call' | 'list';

const TEXT = 'hi';
const client = { 'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' } };

/** A request of the revision that is measured. */
function modernRequest(kind: RequestKind, id: number): Message {
  const params = kind === 'call' ? { name: 'echo', arguments: { text: TEXT } } : {};
  return modern(`tools/${kind}`, params, { id, meta: client });
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
      structuredContent?: { text?: string };
      content?: { text?: string }[];
      tools?: { name: string }[];
    };
  };
  const result = answer.result;
  if (answer.id !== id || result?.resultType !== 'complete' || result.isError) {
    throw new Error(`The answer to tools/${kind} is not a complete result: ${seen}`);
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
    throw new Error(`tools/${target.kind} answered HTTP ${answer.status}: ${answer.body.slice(0, 300)}`);
  }
  assertAnswer(target.kind, id, target.toolCount, answer.body);
  return answer;
}
