/** A server of one engine for odd texts, and a key that may do everything; no call ends at a rate. */
import type { Grants } from '@parley/kit';
import { testCaller } from '@parley/kit/testing';
import type { StoreEngine } from '@parley/store';
import { scratchDatabase } from '@parley/store/testing';
import { createApp } from '../../apps/server/src/app.ts';
import { loadConfig } from '../../apps/server/src/config.ts';

export interface OddTextsBed {
  readonly url: string;
  readonly mcp: string;
  readonly key: string;
  close(): Promise<void>;
}

export async function openOddTexts(engine: StoreEngine): Promise<OddTextsBed> {
  const ends: (() => Promise<unknown>)[] = [];
  const database = await scratchDatabase(engine);
  ends.push(database.remove);
  const { dataDir, databaseUrl } = database.options;
  const place = databaseUrl === undefined ? [] : ['--database-url', databaseUrl];
  const fast = ['--rate', '100000', '--rate-burst', '100000', '--api-rate', '10000'];
  const flags = ['--port', '0', '--log-level', 'silent', '--data', dataDir, ...fast, ...place];
  const { config } = loadConfig(flags, { env: {} });
  const limits = { ...config.limits, heavyRatePerSecond: 100_000, heavyRateBurst: 100_000 };
  const app = await createApp({ config: { ...config, limits } });
  ends.push(() => app.close());
  const { url, mcp } = await app.listen();
  const { identity, engine: serving } = app.host;
  const organizationId = await identity.firstOrganizationId();
  const [first] = await identity.listMembers(organizationId);
  const owner = testCaller({ organizationId, userId: first?.userId ?? '', roles: ['owner'] });
  // Some are there only by name.
  const named = Map.groupBy(serving().common.tools, ({ toolset }) => toolset);
  const grants: Grants = Object.fromEntries(
    [...named].map(([toolset, items]) => [toolset, ['*', ...items.map(({ name }) => name)]]),
  );
  const made = await identity.createKey(owner, { name: 'Everything', grants, expiresAt: null });
  return {
    url,
    mcp,
    key: made.text,
    async close() {
      for (const end of ends.toReversed()) await end();
    },
  };
}
