/** The migrations of the mesh, in order. */
import type { MigrationSet } from '@parley/store';
import { createDashboards } from './003-dashboards.ts';

/** What the store applies for the mesh. */
export const meshMigrations: MigrationSet = {
  name: 'mesh',
  migrations: { '003-dashboards': createDashboards },
};
