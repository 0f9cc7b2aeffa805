/** Migrations of tasks, in order. */
import type { MigrationSet } from '@parley/store';
import { createTasks } from './001-tasks.ts';

/** Applied by whoever opens the store. */
export const taskMigrations: MigrationSet = {
  name: 'tasks',
  migrations: { '001-tasks': createTasks },
};
