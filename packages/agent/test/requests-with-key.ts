/** The routes of agents of one process of a bed, on a real port. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRouteTable } from '@parley/http';
import { detach } from '@parley/kit';
import { onTestFinished } from 'vitest';
import { createAgentRoutes } from '../src/rest/index.ts';
import type { AgentProcess } from './agent-bed.ts';

/** One request with a key, until the test ends. */
export async function serveRoutes({ host, services }: AgentProcess) {
  const sets = createAgentRoutes(services, host);
  const find = createRouteTable(sets);
  const server = createServer((req, res) => {
    detach(find(req.url ?? '/')?.handle(req, res) ?? Promise.resolve(), (error) =>
      host.onFault(error, 'a route'),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(async () => {
    for (const set of sets) await set.close();
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  const { port } = server.address() as AddressInfo; // a listening TCP server has a port
  return async (key: string, method: string, path: string, body?: unknown) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, text, json: text === '' ? undefined : JSON.parse(text) };
  };
}
