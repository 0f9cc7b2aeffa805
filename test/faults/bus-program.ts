/** A replica of the event bus that may be killed: it delivers to connections that fail now and then, and tells what they took. */
import { createEvents } from '@parley/events';
import { createEgress } from '@parley/kit/egress';
import { openStore } from '@parley/store';
import type { StoreOptions } from '@parley/store';
import { createTaskEngine } from '@parley/tasks';
import type { TaskLimits } from '@parley/tasks';

/** What the program is started with. */
export interface ReplicaOptions {
  readonly store: StoreOptions;
  readonly limits: Partial<TaskLimits>;
  readonly retryDelaysMs: readonly number[];
  /** The part of all calls that fails. */
  readonly failing: number;
}

/** What it tells its parent before it says so to the bus. */
export interface Taken {
  readonly connectionId: string;
  readonly ids: readonly string[];
}

const options: ReplicaOptions = JSON.parse(process.argv[2] ?? '{}');
const store = await openStore(options.store);
const onFault = (error: unknown) => console.error(error);
const tasks = createTaskEngine({ store, onFault, limits: options.limits });
const events = createEvents({
  store,
  tasks,
  egress: createEgress(),
  onFault,
  limits: { subscriberRetryDelaysMs: options.retryDelaysMs, pollMs: 500 },
  async deliver({ connectionId }, given) {
    if (Math.random() < options.failing) return { kind: 'failed', error: 'It failed by chance.' };
    const taken: Taken = { connectionId, ids: given.map(({ id }) => id) };
    await new Promise((resolve) => process.send?.(taken, resolve));
    return { kind: 'answered', answer: { success: true } };
  },
});
tasks.start();
events.start();
process.once('disconnect', () => process.exit(1));
process.send?.('ready');
