/** Migrations of the agent toolset, in order. */
import { createRestTables } from '@parley/http/rest';
import type { MigrationSet } from '@parley/store';
import { AGENT } from '../name.ts';
import { seedPresets } from '../services/presets.ts';
import { createAgents } from './001-agents.ts';
import { createPresets } from './002-presets.ts';
import { createMessages } from './003-messages.ts';
import { createMemory } from './004-memory.ts';
import { createSchedules } from './005-schedules.ts';
import { createWork } from './006-work.ts';
import { createOwnerLine } from './007-owner.ts';
import { createOutside } from './008-outside.ts';
import { createPlugins } from './009-plugins.ts';
import { addPluginDigest } from './010-plugin-digest.ts';
import { createChainHeads } from './011-chain-heads.ts';

export const agentMigrations: MigrationSet = {
  name: 'agent',
  seed: seedPresets,
  migrations: {
    '001-agents': createAgents,
    '002-presets': createPresets,
    '002-rest': createRestTables(AGENT),
    '003-messages': createMessages,
    '004-memory': createMemory,
    '005-schedules': createSchedules,
    '006-work': createWork,
    '007-owner': createOwnerLine,
    '008-outside': createOutside,
    '009-plugins': createPlugins,
    '010-plugin-digest': addPluginDigest,
    '011-chain-heads': createChainHeads,
  },
};
