/** A collector for OpenTelemetry over HTTP with JSON: keeps what it is sent. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

/** What was posted, by path. */
export interface Collector extends AsyncDisposable {
  readonly url: string;
  readonly received: { readonly path: string; readonly body: unknown }[];
}

/** Starts a collector on a free port. */
export async function startCollector(): Promise<Collector> {
  const received: { path: string; body: unknown }[] = [];
  const server = createServer((req, res) => {
    void json(req).then((body) => {
      received.push({ path: req.url ?? '', body });
      res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      return undefined;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
