/** Suites of this package on each engine, with its tables there already, since making them takes longer than most tests. */
import type { EngineSuite } from '@parley/store/testing';
import { onBothEngines as onEach } from '@parley/store/testing';
import { annotationMigrations } from '../src/migrations/index.ts';

/** Runs a suite once per engine. */
export function onBothEngines(name: string, suite: EngineSuite): void {
  onEach(name, suite, [annotationMigrations]);
}
