/** Migrations of the agent toolset, in order. */
import type { MigrationSet } from '@parley/store';
import { createAgents } from './001-agents.ts';
import { createWork } from './006-work.ts';

export const agentMigrations: MigrationSet = {
  name: 'agent',
  migrations: {
    '001-agents': createAgents,
    '006-work': createWork,
  },
};
