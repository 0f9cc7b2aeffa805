/** The fixture behind the gateway: served by one Parley, reached through another by a connection. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../apps/server/src/index.ts';
import { loadConfig } from '../../apps/server/src/config.ts';
import { endAll, startKeyFront, startOldServer } from './fronts.ts';
import { callTool } from './plain-client.ts';
import { startFixture } from './serve.ts';

/** What the server behind the gateway speaks. */
export type UpstreamEra = '2025' | '2026';

/** The fixture as clients of the gateway reach it. */
export interface RunningThrough {
  /** The endpoint of the connection, which asks for no key. */
  readonly mcp: string;
  /** The fixture itself, in the same era. */
  readonly direct: string;
  close(): Promise<void>;
}

const SESSIONS = 10_000;

/** Starts the fixture, and a server with a connection to it. */
export async function startThrough(era: UpstreamEra): Promise<RunningThrough> {
  const fixture = await startFixture(0);
  const old = era === '2025' ? await startOldServer(fixture.mcp) : undefined;
  const direct = old === undefined ? fixture.mcp : `${old.url}/mcp`;
  const data = await mkdtemp(join(tmpdir(), 'parley-through-'));
  const flags = ['--port', '0', '--data', data, '--rate', '10000', '--rate-burst', '10000'];
  const reach = ['--allow-egress', new URL(direct).host, '--log-level', 'error'];
  const { config } = loadConfig([...flags, ...reach], { env: {} });
  const heavy = { heavyRatePerSecond: 10_000, heavyRateBurst: 10_000 };
  const app = await createApp({
    config: { ...config, limits: { ...config.limits, ...heavy, sessionsPerCaller: SESSIONS } },
  });
  const { url, mcp } = await app.listen();
  const key = (await readFile(app.ownerKeyFile, 'utf8')).trim();
  const { item } = await callTool<{ item: { id: string } }>(`${url}/mcp/self`, key, {
    name: 'COLLECTION_CONNECTIONS_CREATE',
    arguments: {
      data: {
        title: 'Fixture',
        connection_type: 'HTTP',
        connection_url: direct,
        metadata: { gateway: { pinning: 'off' } },
      },
    },
  });
  const front = await startKeyFront(`${mcp}/${item.id}`, key);
  return {
    mcp: `${front.url}/mcp`,
    direct,
    async close() {
      await endAll(front);
      await app.close();
      if (old !== undefined) await endAll(old);
      await fixture.close();
      await rm(data, { recursive: true, force: true });
    },
  };
}
