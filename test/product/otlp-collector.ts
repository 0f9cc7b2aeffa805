/** A collector for OpenTelemetry over HTTP with JSON: keeps what it is sent. */
import { startServer } from '@parley/test-support/scripted-server';

/** What was posted, by path. */
export interface Collector extends AsyncDisposable {
  readonly url: string;
  readonly received: { readonly path: string; readonly body: unknown }[];
}

/** Starts a collector on a free port. */
export async function startCollector(): Promise<Collector> {
  const received: { path: string; body: unknown }[] = [];
  const server = await startServer(({ url, body }, res) => {
    received.push({ path: url, body: JSON.parse(body) });
    res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  return { url: server.origin, received, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
