/** Migrations of tasks, in order. */
import type { MigrationSet } from '@parley/store';
import { createTasks } from './001-tasks.ts';
import { indexKinds } from './002-kinds.ts';
import { countPlaces } from './003-places.ts';
import { knowThoseInLine } from './004-known-in-line.ts';
import { countRunning } from './005-count-running.ts';
import { keepProgress } from './006-progress.ts';
import { indexAsking } from './007-asking.ts';

/** Applied by the program that opens the store. */
export const taskMigrations: MigrationSet = {
  name: 'tasks',
  migrations: {
    '001-tasks': createTasks,
    '002-kinds': indexKinds,
    '003-places': countPlaces,
    '004-known-in-line': knowThoseInLine,
    '005-count-running': countRunning,
    '006-progress': keepProgress,
    '007-asking': indexAsking,
  },
};
