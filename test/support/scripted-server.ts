/** Owns HTTP servers whose every answer a test decides. */
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { listening } from './listening.ts';

/** One request as the server saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers one request, at once, later, or by what it does to the connection. */
export type Script = (request: SeenRequest, response: ServerResponse) => unknown;

/** A running server. */
export interface ScriptedServer extends AsyncDisposable {
  readonly port: number;
  /** Address and port, as an allow list names them. */
  readonly host: string;
  readonly origin: string;
  /** Everything that arrived whole, in order. */
  readonly seen: SeenRequest[];
}

/** Starts a server on a free loopback port; the caller ends it. */
export async function startServer(script: Script): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
  const running = new Set<Promise<unknown>>();
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = await readRequest(incoming);
    seen.push(request);
    await script(request, response);
  };
  const server = createServer((incoming, response) => {
    // A client that gives up breaks its request off, and a script that fails must not leave its client waiting.
    running.add(answer(incoming, response).catch(() => response.destroy()));
  });
  const { port, url, ...rest } = await listening(server);
  return { ...rest, port, host: `127.0.0.1:${port}`, origin: url, seen };
}

/** Starts a server that ends with the test. */
export async function serveForTest(script: Script): Promise<ScriptedServer> {
  const server = await startServer(script);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

async function readRequest(incoming: IncomingMessage): Promise<SeenRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  const { method = '', url = '', headers } = incoming;
  return { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
}
