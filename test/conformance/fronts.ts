/** Small servers that stand in front of another one: one adds a key, one makes a server of the 2025 revisions of it. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer, request } from 'node:http';
import type { Listening } from '@parley/test-support/listening';
import { listening } from '@parley/test-support/listening';

/** Passes everything on with this key, for a referee that sends none. */
export function startKeyFront(url: string, key: string): Promise<Listening> {
  return listening(
    createServer((req, res) => {
      const { origin, pathname } = new URL(url);
      pass(req, res, { to: new URL(pathname, origin), headers: { authorization: `Bearer ${key}` } });
    }),
  );
}

const NOT_INITIALIZED = JSON.stringify({
  jsonrpc: '2.0',
  error: { code: -32000, message: 'Bad Request: Server not initialized' },
  id: null,
});

/** Knows only the revisions with a handshake: what 2026-07-28 sends is refused as an older server does it. */
export function startOldServer(url: string): Promise<Listening> {
  const serve: RequestListener = (req, res) => {
    if (req.headers['mcp-protocol-version'] === '2026-07-28') {
      req.resume();
      res.writeHead(400, { 'content-type': 'application/json' }).end(NOT_INITIALIZED);
      return;
    }
    pass(req, res, { to: new URL(url), headers: {} });
  };
  return listening(createServer(serve));
}

/** Streams both ways; the end of one side is the end of the other. */
function pass(
  req: IncomingMessage,
  res: ServerResponse,
  { to, headers }: { readonly to: URL; readonly headers: Readonly<Record<string, string>> },
): void {
  const onward = request(to, { method: req.method, headers: { ...req.headers, ...headers } }, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    // Without this the head of a quiet stream waits for its first event.
    res.flushHeaders();
    answer.on('error', () => res.destroy());
    answer.pipe(res);
  });
  onward.on('error', () => res.destroy());
  res.on('close', () => onward.destroy());
  req.on('error', () => onward.destroy());
  req.pipe(onward);
}

/** Ends servers in the order in which they are given. */
export async function endAll(...servers: readonly AsyncDisposable[]): Promise<void> {
  for (const server of servers) await server[Symbol.asyncDispose]();
}
