/** Events on a store: the outbox, the webhooks, and the small duties of a process that delivers. */
import type { Store, StoreTransaction } from '@parley/store';
import type { TaskEngine } from '@parley/tasks';
import type { CloudEvent, NewEvent } from './cloud-event.ts';
import type { DeliveryParts, TargetKind } from './delivery/parts.ts';
import { pumpKind } from './delivery/pump.ts';
import { recoverLate } from './delivery/recovery.ts';
import type { EventLimits } from './limits.ts';
import { DEFAULT_EVENT_LIMITS } from './limits.ts';
import { publishEvent } from './publish.ts';
import { sweepEvents } from './retention.ts';
import { webhookTarget } from './webhooks/target.ts';
import type { Egress } from '@parley/kit/egress';
import type { Webhooks } from './webhooks/webhooks.ts';
import { createWebhooks } from './webhooks/webhooks.ts';

/** Events of organizations, and their way to those who asked for them. */
export interface Events {
  /**
   * Writes the event and its deliveries with the change that they tell of. Make it the last part of the transaction:
   * publishers of one organization wait for each other from here to the commit.
   */
  publish(tx: StoreTransaction, event: NewEvent): Promise<CloudEvent>;
  readonly webhooks: Webhooks;
  /** Looks after deliveries that nobody works on, and removes what is old. Delivering itself is up to the task engine. */
  start(): void;
  stop(): Promise<void>;
  /** Removes what is old, now. */
  sweep(): Promise<void>;
}

export interface EventsOptions {
  readonly store: Store;
  readonly tasks: TaskEngine;
  /** The way out; the caller closes it. */
  readonly egress: Egress;
  readonly onFault: (error: unknown, where: string) => void;
  readonly now?: () => number;
  readonly limits?: Partial<EventLimits>;
}

/** Creates events on a store; deliveries run on the task engine once that is started. */
export function createEvents(options: EventsOptions): Events {
  const { store, tasks, egress, onFault } = options;
  const limits = { ...DEFAULT_EVENT_LIMITS, ...options.limits };
  const now = options.now ?? Date.now;
  const targets: TargetKind[] = [webhookTarget({ store, egress, limits, now })];
  const kinds = new Map(targets.map((target) => [target.kind, target]));
  const parts: DeliveryParts = { store, tasks, kinds, limits, now, onFault };
  tasks.register(pumpKind(parts));

  const sweep = () => sweepEvents(store, limits, now());
  const duties = [
    startable(() => recoverLate(parts, limits.pollMs), limits.pollMs, 'event recovery'),
    startable(sweep, limits.sweepEveryMs, 'event retention'),
  ];

  /** A duty that is done at the start and again after a pause, never twice at once. */
  function startable(work: () => Promise<void>, everyMs: number, where: string) {
    let timer: NodeJS.Timeout | undefined;
    let running: Promise<void> | undefined;
    const run = () => {
      running ??= work()
        .catch((error: unknown) => onFault(error, where))
        .finally(() => (running = undefined));
    };
    return {
      start() {
        timer = setInterval(run, everyMs).unref();
        run();
      },
      async stop() {
        clearInterval(timer);
        await running;
      },
    };
  }

  return {
    publish: (tx, event) => publishEvent(parts, tx, event),
    webhooks: createWebhooks({ ...parts, egress }),
    start() {
      for (const duty of duties) duty.start();
    },
    async stop() {
      await Promise.all(duties.map((duty) => duty.stop()));
    },
    sweep,
  };
}
