/** A server on a loopback port that remembers what it was asked, for stand-ins of other systems. */
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import { detach } from '@parley/kit';
import { listening } from '@parley/test-support/listening';

export interface Seen {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string goes out as it is, anything else as JSON. */
  readonly body?: unknown;
}

export interface RecordingServer {
  readonly url: string;
  readonly port: number;
  /** What it was asked since `clear`. */
  readonly seen: Seen[];
  /** How many connections there were. */
  connections(): number;
  /** Answers the next requests with these, before its own answers. */
  next(...replies: Reply[]): void;
  clear(): void;
  close(): Promise<void>;
}

export async function startRecordingServer(answer: (seen: Seen) => Reply): Promise<RecordingServer> {
  const seen: Seen[] = [];
  const scripted: Reply[] = [];
  let connections = 0;
  const server = createServer((req, res) => {
    const work = async () => {
      const text = await textOf(req);
      const asked = {
        method: req.method ?? 'GET',
        path: req.url ?? '/',
        headers: req.headers,
        body: text === '' ? undefined : (JSON.parse(text) as unknown),
      };
      seen.push(asked);
      const { status = 200, headers = {}, body } = scripted.shift() ?? answer(asked);
      const isText = typeof body === 'string';
      res.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers });
      res.end(body === undefined ? undefined : isText ? body : JSON.stringify(body));
    };
    detach(work(), () => res.destroy());
  });
  server.on('connection', () => {
    connections += 1;
  });
  const { url, port, ...end } = await listening(server);
  return {
    url,
    port,
    seen,
    connections: () => connections,
    next: (...replies) => {
      scripted.push(...replies);
    },
    clear() {
      seen.length = 0;
      scripted.length = 0;
      connections = 0;
    },
    close: async () => end[Symbol.asyncDispose](),
  };
}

async function textOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req as AsyncIterable<Buffer> /* no encoding is set */) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
