/** The migrations of the mesh, in order. */
import type { MigrationSet } from '@parley/store';

/** What the store applies for the mesh. */
export const meshMigrations: MigrationSet = { name: 'mesh', migrations: {} };
