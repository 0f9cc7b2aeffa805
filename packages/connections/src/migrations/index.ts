/** The migrations of connections, in order. */
import type { MigrationSet } from '@parley/store';
import { seedSelfConnection } from '../self-connection.ts';
import { createConnections } from './001-connections.ts';
import { seedSelfConnections } from './002-self-connections.ts';

/** What the store applies for connections. */
export const connectionMigrations: MigrationSet = {
  name: 'connections',
  seed: seedSelfConnection,
  migrations: {
    '001-connections': createConnections,
    '002-self-connections': seedSelfConnections,
  },
};
