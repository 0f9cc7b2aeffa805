/** Migrations of the agent toolset, in order. */
import type { MigrationSet } from '@parley/store';
import { createAgents } from './001-agents.ts';
import { createOwnerLine } from './007-owner.ts';

export const agentMigrations: MigrationSet = {
  name: 'agent',
  migrations: {
    '001-agents': createAgents,
    '007-owner': createOwnerLine,
  },
};
