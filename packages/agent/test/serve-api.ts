/** The routes of one process of a bed, on a real port, and requests to them with a key. */
import { createServer } from 'node:http';
import { createRouteTable } from '@parley/http';
import { detach } from '@parley/kit';
import { listening } from '@parley/test-support/listening';
import { onTestFinished } from 'vitest';
import { createAgentRoutes } from '../src/rest/index.ts';
import type { AgentProcess } from './agent-bed.ts';

/** What a route answered. */
export interface ApiAnswer {
  readonly status: number;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever the route answers, the test compares
  readonly json: any;
}

/** Serves them until the test ends. */
export async function serveApi({ host, services }: AgentProcess) {
  const sets = createAgentRoutes(services, host);
  const find = createRouteTable(sets);
  const server = createServer((req, res) => {
    detach(find(req.url ?? '/')?.handle(req, res) ?? Promise.resolve(), (error) =>
      host.onFault(error, 'a route'),
    );
  });
  const served = await listening(server);
  onTestFinished(async () => {
    for (const set of sets) await set.close();
    await served[Symbol.asyncDispose]();
  });
  return async (key: string, method: 'GET' | 'POST', path: string): Promise<ApiAnswer> => {
    const answer = await fetch(`${served.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}` },
    });
    const text = await answer.text();
    return { status: answer.status, text, json: text === '' ? {} : JSON.parse(text) };
  };
}
