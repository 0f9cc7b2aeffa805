/** Owns HTTP servers and resolvers whose every answer a test decides. */
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { Resolve, ResolvedAddress } from '../policy.ts';

/** One request as the server saw it. */
export type SeenRequest = { method: string; url: string; headers: IncomingHttpHeaders; body: string };

/** A running server and everything that reached it. */
export type ScriptedServer = AsyncDisposable & { port: number; seen: SeenRequest[] };

/** Starts a server on a free loopback port. */
export async function startServer(
  answer: (request: SeenRequest, response: ServerResponse) => void,
): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    void readRequest(incoming).then((request) => {
      seen.push(request);
      answer(request, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    port: address.port,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function readRequest(incoming: IncomingMessage): Promise<SeenRequest> {
  let body = '';
  for await (const chunk of incoming) body += String(chunk);
  return { method: incoming.method ?? '', url: incoming.url ?? '', headers: incoming.headers, body };
}

/** A resolver that answers each lookup of a name with the next of its scripted answers, and counts the lookups. */
export function scriptResolver(names: Record<string, string[][]>): { resolve: Resolve; lookups: string[] } {
  const lookups: string[] = [];
  const resolve: Resolve = async (host) => {
    const answers = names[host];
    const before = lookups.filter((name) => name === host).length;
    lookups.push(host);
    if (answers === undefined) throw new Error('unknown name');
    return (answers[before] ?? answers.at(-1) ?? []).map(toAddress);
  };
  return { resolve, lookups };
}

function toAddress(address: string): ResolvedAddress {
  return { address, family: address.includes(':') ? 6 : 4 };
}
