/** Suites of this package on each engine, with the tables there already where making them takes long. */
import { eventMigrations } from '@parley/events';
import { identityMigrations } from '@parley/identity';
import type { EngineSuite } from '@parley/store/testing';
import { onBothEngines as onEach } from '@parley/store/testing';
import { taskMigrations } from '@parley/tasks';
import { feedbackMigrations } from '../migrations/index.ts';

/** Runs a suite once per engine. */
export function onBothEngines(name: string, suite: EngineSuite): void {
  onEach(name, suite, [identityMigrations, taskMigrations, feedbackMigrations, eventMigrations]);
}
