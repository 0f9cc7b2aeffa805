/** A program that is killed: feedback with its tasks, which schedules a changelog entry if it is told to. */
import { createEvents } from '@parley/events';
import { createEgress } from '@parley/kit/egress';
import { createFeedbackServices } from '@parley/feedback';
import { createIdentity } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { createChangeBus } from '@parley/kit';
import { openStore } from '@parley/store';
import type { StoreOptions } from '@parley/store';
import { createTaskEngine } from '@parley/tasks';

/** What the program is started with. */
export interface ProgramOptions {
  readonly store: StoreOptions;
  /** An administrator. */
  readonly caller: Caller;
  /** Schedules an entry this long after its start. */
  readonly scheduleInMs?: number;
  /** Ends itself right after the commit. */
  readonly thenDie?: boolean;
}

/** What the program tells. */
export type Report = { readonly isReady: true } | { readonly scheduledFor: number };

const options: ProgramOptions = JSON.parse(process.argv[2] ?? '{}');
const onFault = (error: unknown) => console.error(error);
const store = await openStore(options.store);
const tasks = createTaskEngine({ store, onFault });
const services = createFeedbackServices({
  store,
  tasks,
  identity: createIdentity(store),
  events: createEvents({ store, tasks, egress: createEgress(), onFault }),
  changes: createChangeBus(),
  onFault,
});
tasks.start();
process.once('disconnect', () => process.exit(1));
if (options.scheduleInMs !== undefined) {
  const at = Date.now() + options.scheduleInMs;
  await services.changelog.create(await services.actor(options.caller), {
    title: 'Dark mode is here',
    content: 'Look at it at night.',
    publishedAt: new Date(at).toISOString(),
  });
  if (options.thenDie) process.kill(process.pid, 'SIGKILL');
  tell({ scheduledFor: at });
}
tell({ isReady: true });

function tell(report: Report): void {
  process.send?.(report);
}
