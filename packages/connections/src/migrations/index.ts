/** The migrations of connections, in order. */
import type { MigrationSet } from '@parley/store';

/** What the store applies for connections. */
export const connectionMigrations: MigrationSet = { name: 'connections', migrations: {} };
