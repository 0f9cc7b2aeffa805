/** The migrations of the mesh, in order. */
import { createRestTables } from '@parley/http/rest';
import type { MigrationSet } from '@parley/store';
import { MANAGEMENT } from '../name.ts';
import { seedAdminProject } from '../services/admin-project.ts';
import { createProjects } from './001-projects.ts';
import { createThreadsAndTags } from './002-threads-tags.ts';
import { createDashboards } from './003-dashboards.ts';

/** What the store applies for the mesh. */
export const meshMigrations: MigrationSet = {
  name: 'mesh',
  seed: seedAdminProject,
  migrations: {
    '001-projects': createProjects,
    '002-threads-tags': createThreadsAndTags,
    '003-dashboards': createDashboards,
    '004-rest': createRestTables(MANAGEMENT),
  },
};
