/** A program that is killed: feedback with its tasks, which schedules a changelog entry if it is told to. */
import { flushCompileCache } from 'node:module';
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
  /** How far its clock is ahead of the one of the machine; changed by every number that it is sent. */
  readonly aheadMs: number;
  /** Schedules an entry this long after its start. */
  readonly scheduleInMs?: number;
  /** Ends itself right after the commit. */
  readonly thenDie?: boolean;
}

/** What the program tells. */
export type Report = { readonly isReady: true } | { readonly scheduledFor: number };

const options: ProgramOptions = JSON.parse(process.argv[2] ?? '{}');
let { aheadMs } = options;
const now = () => Date.now() + aheadMs;
const onFault = (error: unknown) => console.error(error);
const store = await openStore(options.store);
const tasks = createTaskEngine({ store, now, onFault, limits: { takeoverMs: 100 } });
const services = createFeedbackServices({
  store,
  tasks,
  identity: createIdentity(store),
  events: createEvents({ store, tasks, egress: createEgress(), now, onFault }),
  changes: createChangeBus(),
  now,
  onFault,
});
tasks.start();
process.on('message', (ms: number) => (aheadMs = ms));
process.once('disconnect', () => process.exit(1));
if (options.scheduleInMs !== undefined) {
  const at = now() + options.scheduleInMs;
  await services.changelog.create(await services.actor(options.caller), {
    title: 'Dark mode is here',
    content: 'Look at it at night.',
    publishedAt: new Date(at).toISOString(),
  });
  if (options.thenDie) process.kill(process.pid, 'SIGKILL');
  tell({ scheduledFor: at });
}
// It is killed, and would leave nothing for the next one that starts.
flushCompileCache();
tell({ isReady: true });

function tell(report: Report): void {
  process.send?.(report);
}
