/** The migrations of the mesh, in order. */
import { createRestTables } from '@parley/http/rest';
import type { MigrationSet } from '@parley/store';
import { MANAGEMENT } from '../name.ts';

/** What the store applies for the mesh. */
export const meshMigrations: MigrationSet = {
  name: 'mesh',
  migrations: { '004-rest': createRestTables(MANAGEMENT) },
};
