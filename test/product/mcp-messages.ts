/** Messages of 2026-07-28 as a plain client writes them, over HTTP and over stdio. */
import { createInterface } from 'node:readline';
import { modern, modernHeaders } from '@parley/test-support/wire';
import type { Message } from '@parley/test-support/wire';
import type { Running } from './parley.ts';

/** The part of an answer that the tests look at. */
export interface Answer {
  readonly id?: unknown;
  readonly result?: {
    readonly isError?: boolean;
    readonly structuredContent?: Record<string, unknown>;
    readonly content?: { text: string }[];
    readonly tools?: { name: string }[];
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
  readonly error?: { readonly code: number; readonly message: string };
}

const CLIENT = { 'io.modelcontextprotocol/clientInfo': { name: 'product-test', version: '1.0.0' } };

/** A message of the client that these tests are. */
export function message(
  id: string | number,
  method: string,
  params: Record<string, unknown> = {},
  meta: Record<string, unknown> = {},
): Message {
  return modern(method, params, { id, meta: { ...CLIENT, ...meta } });
}

/** Sends one message over HTTP. */
export async function post(
  url: string,
  key: string | undefined,
  body: Message,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string; body: Answer }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...modernHeaders(body),
      ...headers,
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) as Answer };
}

/** Calls a tool over HTTP. */
export function callTool(
  server: { mcp: string; key: string },
  name: string,
  args: Record<string, unknown> = {},
) {
  return post(server.mcp, server.key, message(1, 'tools/call', { name, arguments: args }));
}

/** A process that speaks MCP on stdin and stdout. */
export interface StdioClient {
  call(name: string, args?: Record<string, unknown>): Promise<Answer>;
  /** The names of the tools that it lists. */
  tools(): Promise<string[]>;
}

/** Talks to a running `parley mcp`. */
export function stdioClient({ child }: Running): StdioClient {
  const waiting = new Map<unknown, PromiseWithResolvers<Answer>>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const answer = JSON.parse(line) as Answer;
    waiting.get(answer.id)?.resolve(answer);
    waiting.delete(answer.id);
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('The process ended before it answered.'));
  });
  let ids = 0;
  const ask = (method: string, params: Record<string, unknown>) => {
    const id = (ids += 1);
    const answered = Promise.withResolvers<Answer>();
    waiting.set(id, answered);
    child.stdin.write(`${JSON.stringify(message(id, method, params))}\n`);
    return answered.promise;
  };
  return {
    call: (name, args = {}) => ask('tools/call', { name, arguments: args }),
    async tools() {
      const { result } = await ask('tools/list', {});
      return (result?.tools ?? []).map(({ name }) => name);
    },
  };
}
