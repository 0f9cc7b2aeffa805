/** Migrations of the agent toolset, in order. */
import { createRestTables } from '@parley/http/rest';
import type { MigrationSet } from '@parley/store';
import { AGENT } from '../name.ts';
import { createAgents } from './001-agents.ts';
import { createWork } from './006-work.ts';

export const agentMigrations: MigrationSet = {
  name: 'agent',
  migrations: {
    '001-agents': createAgents,
    '002-rest': createRestTables(AGENT),
    '006-work': createWork,
  },
};
