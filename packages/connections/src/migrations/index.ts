/** The migrations of connections, in order. */
import type { MigrationSet } from '@parley/store';
import { createConnections } from './001-connections.ts';
import { seedSelfConnections } from './002-self-connections.ts';

/** What the store applies for connections. */
export const connectionMigrations: MigrationSet = {
  name: 'connections',
  migrations: {
    '001-connections': createConnections,
    '002-self-connections': seedSelfConnections,
  },
};
