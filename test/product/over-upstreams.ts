/** The product in this process, with a connection to each of some scripted servers: `conn_1`, `conn_2` and so on. */
import { readFileSync } from 'node:fs';
import { scratchDatabase } from '@parley/store/testing';
import type { WireUpstream } from '@parley/test-support/wire-upstream';
import { expect, onTestFinished } from 'vitest';
import { createApp, loadConfig } from '../../apps/server/src/index.ts';
import { callTool, message, post } from './mcp-messages.ts';

/** What an endpoint answers, of whichever kind. */
export interface Answered {
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Starts it; it ends with the test. `meta` goes with every question. */
export async function startOver(upstreams: readonly WireUpstream[], meta: Record<string, unknown> = {}) {
  const database = await scratchDatabase('sqlite');
  onTestFinished(() => database.remove());
  const flags = ['--port', '0', '--data', database.options.dataDir, '--log-level', 'silent'];
  const reach = upstreams.flatMap(({ url }) => ['--allow-egress', new URL(url).host]);
  const { config } = loadConfig([...flags, ...reach], { env: {} });
  const app = await createApp({ config });
  onTestFinished(() => app.close());
  const { url, mcp } = await app.listen();
  const key = readFileSync(app.ownerKeyFile, 'utf8').trim();
  for (const [index, { url: connection_url }] of upstreams.entries()) {
    const data = {
      id: `conn_${index + 1}`,
      title: `Server ${index + 1}`,
      connection_type: 'HTTP',
      connection_url,
    };
    const made = await callTool({ mcp, key }, 'COLLECTION_CONNECTIONS_CREATE', { data });
    expect(made.body.result?.structuredContent).toMatchObject({ item: { status: 'active' } });
  }
  return {
    mcp,
    key,
    /** Asks an endpoint, by default the one of everything and as the owner. */
    async ask(method: string, params: Record<string, unknown> = {}, place = '', as = key): Promise<Answered> {
      return (await post(`${mcp}${place}`, as, message(1, method, params, meta))).body;
    },
    /** Asks the REST routes of the first connection. */
    async rest(path: string, body?: object): Promise<unknown> {
      const response = await fetch(`${url}/api/connections/conn_1/${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return ((await response.json()) as { data: unknown }).data;
    },
  };
}
