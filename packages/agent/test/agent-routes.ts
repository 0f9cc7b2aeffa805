/** The routes of agents of one process of a bed, on a real port. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRouteTable } from '@parley/http';
import { detach } from '@parley/kit';
import { onTestFinished } from 'vitest';
import { createAgentRoutes } from '../src/rest/index.ts';
import type { AgentProcess } from './agent-bed.ts';

/** Asks for a path with a key; the answer is its status and its JSON. */
export type Ask = (
  key: string,
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ readonly status: number; readonly json: Record<string, unknown> }>;

/** Serves them until the test ends. */
export async function serveAgentRoutes({ services, host }: AgentProcess): Promise<Ask> {
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
  return async (key, method, path, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, json: text === '' ? {} : JSON.parse(text) };
  };
}
