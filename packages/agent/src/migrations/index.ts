/** Migrations of the agent toolset, in order. */
import type { MigrationSet } from '@parley/store';
import { createAgents } from './001-agents.ts';
import { createSchedules } from './005-schedules.ts';

export const agentMigrations: MigrationSet = {
  name: 'agent',
  migrations: {
    '001-agents': createAgents,
    '005-schedules': createSchedules,
  },
};
