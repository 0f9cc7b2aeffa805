/** A program that is killed: it publishes events with a change, and delivers them if it is told to. */
import { createEvents, eventMigrations } from '@parley/events';
import { createEgress } from '@parley/kit/egress';
import { openStore } from '@parley/store';
import type { StoreOptions } from '@parley/store';
import { createTaskEngine, taskMigrations } from '@parley/tasks';

/** What the program is started with. */
export interface ProgramOptions {
  readonly store: StoreOptions;
  /** Hosts that may be reached although they are here. */
  readonly allow: readonly string[];
  readonly subjects: readonly string[];
  /** `die`: ends itself right after the commit, before anything is delivered. */
  readonly afterwards: 'die' | 'deliver';
}

const options: ProgramOptions = JSON.parse(process.argv[2] ?? '{}');
const store = await openStore(options.store);
await store.migrate([taskMigrations, eventMigrations]);
const tasks = createTaskEngine({ store });
const events = createEvents({
  store,
  tasks,
  egress: createEgress({ allow: options.allow }),
  onFault: (error) => console.error(error),
});
if (options.afterwards === 'deliver') {
  tasks.start();
  events.start();
}
for (const subject of options.subjects) {
  await store.transaction((tx) =>
    events.publish(tx, {
      organizationId: 'org_test',
      source: 'test',
      type: 'some.thing',
      subject,
      orderKey: 'a',
    }),
  );
}
if (options.afterwards === 'die') process.kill(process.pid, 'SIGKILL');
process.once('disconnect', () => process.exit(1));
