/** Migrations of the agent toolset, in order. */
import type { MigrationSet } from '@parley/store';
import { createAgents } from './001-agents.ts';
import { createPlugins } from './009-plugins.ts';

export const agentMigrations: MigrationSet = {
  name: 'agent',
  migrations: {
    '001-agents': createAgents,
    '009-plugins': createPlugins,
  },
};
