/** Migrations of the agent toolset, in order. */
import type { MigrationSet } from '@parley/store';
import { createAgents } from './001-agents.ts';
import { createMemory } from './004-memory.ts';

export const agentMigrations: MigrationSet = {
  name: 'agent',
  migrations: {
    '001-agents': createAgents,
    '004-memory': createMemory,
  },
};
