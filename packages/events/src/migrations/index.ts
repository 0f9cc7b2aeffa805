/** Migrations of events, in order. */
import type { MigrationSet } from '@parley/store';
import { createEventTables } from './001-events.ts';
import { createBus } from './002-bus.ts';
import { cheapenEnds } from './003-ends.ts';
import { indexLiving } from './004-living-deliveries.ts';

/** Applied by the program that opens the store. */
export const eventMigrations: MigrationSet = {
  name: 'events',
  migrations: {
    '001-events': createEventTables,
    '002-bus': createBus,
    '003-ends': cheapenEnds,
    '004-living-deliveries': indexLiving,
  },
};
