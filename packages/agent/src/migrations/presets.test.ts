/** Presets of bundles reach organizations that were there before them. */
import { createIdentity, identityMigrations } from '@parley/identity';
import { foundOrganization } from '@parley/identity/testing';
import type { StoreEngine } from '@parley/store';
import { openStore } from '@parley/store';
import { scratchDatabase } from '@parley/store/testing';
import { expect, test } from 'vitest';
import { BED_MIGRATIONS } from '../../test/agent-bed.ts';
import type { AgentTables } from '../schema.ts';
import { PRESETS } from '../services/presets.ts';
import { createAgents } from './001-agents.ts';

test.each<StoreEngine>(['sqlite', 'postgres'])('on %s, once each', async (engine) => {
  const database = await scratchDatabase(engine, [identityMigrations]);
  const store = await openStore(database.options);
  try {
    await store.migrate([identityMigrations, { name: 'agent', migrations: { '001-agents': createAgents } }]);
    const identity = createIdentity(store);
    const { id } = await foundOrganization(identity, 'early');
    identity.close();
    await store.migrate(BED_MIGRATIONS);
    await store.migrate(BED_MIGRATIONS);
    const rows = await store.db<AgentTables>().selectFrom('skill_bundles').selectAll().execute();
    expect(rows.map(({ preset }) => preset ?? '').toSorted()).toEqual(
      PRESETS.map((preset) => preset.id).toSorted(),
    );
    expect(new Set(rows.map(({ organization_id }) => organization_id))).toEqual(new Set([id]));
  } finally {
    await store.close();
    await database.remove();
  }
});
