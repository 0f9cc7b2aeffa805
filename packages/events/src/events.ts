/** Events on a store: the outbox, those who hear of it, schedules, and the small duties of a process that delivers. */
import type { Store, StoreTransaction } from '@parley/store';
import type { TaskEngine } from '@parley/tasks';
import type { CloudEvent, NewEvent, UnnumberedEvent } from './cloud-event.ts';
import type { DeliveryParts, TargetKind } from './delivery/parts.ts';
import type { EventFigures } from './delivery/figures.ts';
import { DeliveryCounts, standingDeliveries } from './delivery/figures.ts';
import type { Canceller } from './cancel.ts';
import { cancelEvent } from './cancel.ts';
import { Arrivals } from './delivery/arrivals.ts';
import { Lingering } from './delivery/linger.ts';
import { PumpWaker } from './delivery/pump-waker.ts';
import { pumpKind } from './delivery/pump.ts';
import { createRecovery } from './delivery/recovery.ts';
import type { EventLimits } from './limits.ts';
import { DEFAULT_EVENT_LIMITS } from './limits.ts';
import type { DeliveriesQuery, Delivery } from './looking/deliveries.ts';
import { findDelivery, readDeliveries, startAgain, withEvents } from './looking/deliveries.ts';
import type { HistoryQuery, LookedAt } from './looking/history.ts';
import { findEvent, lastNumber, readHistory, readStates } from './looking/history.ts';
import type { ScheduleEntry } from './looking/schedules.ts';
import { readSchedules } from './looking/schedules.ts';
import { HeldFilters } from './held-filters.ts';
import { createPublishQueue } from './publish-queue.ts';
import { publishEvents } from './publish.ts';
import { MANAGEMENT_EVENTS } from './published/management.ts';
import { TASK_EVENTS } from './published/tasks.ts';
import { sweepEvents } from './retention.ts';
import type { MayPublish } from './schedules/fire.ts';
import { createFiring } from './schedules/fire.ts';
import type { NewSchedule, Schedule } from './schedules/schedules.ts';
import { addSchedule } from './schedules/schedules.ts';
import type { Audience, Inside, InsideHandler } from './subscribers/inside.ts';
import { createInside, insideTarget } from './subscribers/inside.ts';
import type { Subscribers } from './subscribers/subscribers.ts';
import { createSubscribers } from './subscribers/subscribers.ts';
import type { Deliver } from './subscribers/target.ts';
import { connectionTarget, Handlers } from './subscribers/target.ts';
import { webhookTarget } from './webhooks/target.ts';
import type { Egress } from '@parley/kit/egress';
import type { Webhooks } from './webhooks/webhooks.ts';
import { createWebhooks } from './webhooks/webhooks.ts';
import type { OnlyIf } from './write-events.ts';

/** Events of organizations, and their way to those who asked for them. */
export interface Events {
  /** Writes the event and its deliveries with the commit of the change that they tell of, which gives it its number. */
  publish(tx: StoreTransaction, event: NewEvent): Promise<UnnumberedEvent>;
  /**
   * The same for several events at once, which costs little more than for one. With `onlyIf`, those for whose subject it
   * is true when all else of the transaction is done.
   */
  publishAll(tx: StoreTransaction, events: readonly NewEvent[], onlyIf?: OnlyIf): Promise<UnnumberedEvent[]>;
  /** Publishes an event that tells of no change of ours; it is committed when the promise resolves. */
  publishNow(event: NewEvent): Promise<UnnumberedEvent>;
  /** Publishes later, once or by cron. */
  schedule(wanted: NewSchedule): Promise<Schedule>;
  /** Cancels an event or a schedule; false when there was nothing to cancel. */
  cancel(who: Canceller, eventId: string): Promise<boolean>;
  readonly subscribers: Subscribers;
  /** Listeners in this program, such as schedules that an event wakes; each process registers a kind once, before it starts. */
  inside(kind: string, handler: InsideHandler, audience?: Audience): Inside;
  readonly webhooks: Webhooks;
  readonly history: History;
  /** The types that Parley publishes itself: of the base, and of the toolsets that are served. */
  readonly ownTypes: ReadonlySet<string>;
  /** Looks after deliveries that nobody works on, and removes what is old. Delivering itself is up to the task engine. */
  start(): void;
  stop(): Promise<void>;
  /** Resolves when somebody works on all that this process has published and committed. */
  woken(): Promise<void>;
  /** Removes what is old, now. */
  sweep(): Promise<void>;
  /** What deliveries of the database look like, and what this process has brought; looks at the database. */
  figures(): Promise<EventFigures>;
}

/** What has happened, and what became of it. */
export interface History {
  events(organizationId: string, query: HistoryQuery): Promise<CloudEvent[]>;
  /** The same with what became of each so far. */
  states(organizationId: string, query: HistoryQuery): Promise<LookedAt[]>;
  event(organizationId: string, eventId: string): Promise<LookedAt | undefined>;
  /** The number of the newest event. */
  lastNumber(organizationId: string): Promise<number>;
  deliveries(organizationId: string, query: DeliveriesQuery): Promise<Delivery[]>;
  /** Starts a delivery again from its first attempt. */
  retry(organizationId: string, deliveryId: string): Promise<Delivery>;
  /** What is still to fire, the next one first. */
  schedules(organizationId: string, limit: number): Promise<ScheduleEntry[]>;
}

export interface EventsOptions {
  readonly store: Store;
  readonly tasks: TaskEngine;
  /** The way out; the caller closes it. */
  readonly egress: Egress;
  /** Calls connections; absent: their deliveries wait to be acknowledged. */
  readonly deliver?: Deliver | undefined;
  /** The types of events that toolsets publish. */
  readonly types?: readonly { readonly type: string }[];
  /** Asked before a schedule fires; one whose source may not publish any more ends. Absent: all may. */
  readonly mayPublish?: MayPublish;
  /** False: what is published is left for another process to deliver. */
  readonly delivers?: boolean;
  readonly onFault: (error: unknown, where: string) => void;
  readonly now?: () => number;
  readonly limits?: Partial<EventLimits>;
}

/** Creates events on a store; deliveries run on the task engine once that is started. */
export function createEvents(options: EventsOptions): Events {
  const { store, tasks, egress, onFault } = options;
  const limits = { ...DEFAULT_EVENT_LIMITS, ...options.limits };
  const now = options.now ?? (() => options.store.now());
  const handlers = new Handlers();
  const targets: TargetKind[] = [
    webhookTarget({ store, egress, limits, now }),
    connectionTarget({ store, limits, handlers, onFault, deliver: options.deliver }),
  ];
  const kinds = new Map(targets.map((target) => [target.kind, target]));
  const parts: DeliveryParts = {
    store,
    tasks,
    kinds,
    limits,
    heldFilters: new HeldFilters(now),
    delivered: new DeliveryCounts(),
    arrivals: new Arrivals(store, now),
    lingering: new Lingering(limits.lingerMs),
    waker: new PumpWaker({ store, tasks, onFault }),
    now,
    onFault,
  };
  tasks.register({ ...pumpKind(parts), isRunElsewhere: options.delivers === false });

  const publishNow = createPublishQueue(parts);
  const sweep = (signal?: AbortSignal) => sweepEvents(parts, now(), signal);
  const duties = [
    createFiring(parts, options.mayPublish ?? (async () => true)),
    startable(createRecovery(parts, limits.pollMs), limits.pollMs, 'event recovery'),
    startable(sweep, limits.sweepEveryMs, 'event retention'),
  ];

  /** A duty that is done at the start and again after a pause, never twice at once. */
  function startable(work: (signal: AbortSignal) => Promise<void>, everyMs: number, where: string) {
    const stopping = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    let running: Promise<void> | undefined;
    const run = () => {
      running ??= work(stopping.signal)
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
        stopping.abort();
        await running;
      },
    };
  }

  return {
    async publish(tx, event) {
      const [made] = await publishEvents(parts, tx, [event]);
      return made as UnnumberedEvent; // one for each that was given
    },
    publishAll: (tx, given, onlyIf) => publishEvents(parts, tx, given, onlyIf),
    publishNow: (event) => store.spending.wait('database', 'commit', publishNow(event)),
    schedule: (wanted) => addSchedule(parts, wanted),
    cancel: (who, eventId) => cancelEvent(parts, who, eventId),
    subscribers: createSubscribers(parts, handlers),
    inside(kind, handler, audience) {
      if (kinds.has(kind)) throw new Error(`There are targets of the kind "${kind}" already.`);
      kinds.set(kind, insideTarget(parts, kind, handler, audience));
      return createInside(parts, kind);
    },
    webhooks: createWebhooks({ ...parts, egress }),
    ownTypes: new Set(
      [...TASK_EVENTS, ...Object.values(MANAGEMENT_EVENTS), ...(options.types ?? [])].map(({ type }) => type),
    ),
    history: {
      events: (organizationId, query) => readHistory(store, organizationId, query),
      states: (organizationId, query) => readStates(store, organizationId, query),
      event: (organizationId, eventId) => findEvent(store, organizationId, eventId),
      lastNumber: (organizationId) => lastNumber(store, organizationId),
      schedules: (organizationId, limit) => readSchedules(store, organizationId, limit),
      deliveries: (organizationId, query) => readDeliveries(store, organizationId, query),
      async retry(organizationId, deliveryId) {
        const found = await findDelivery(store, organizationId, deliveryId);
        await store.transaction((tx) => startAgain(parts, tx, found));
        const [delivery] = await withEvents(store, [await findDelivery(store, organizationId, deliveryId)]);
        return delivery as Delivery; // it keeps its event while it is open
      },
    },
    start() {
      for (const duty of duties) duty.start();
    },
    async stop() {
      await Promise.all(duties.map((duty) => duty.stop()));
      await parts.waker.idle();
    },
    woken: () => parts.waker.idle(),
    sweep: () => sweep(),
    figures: async () => ({
      delivered: parts.delivered,
      standing: await standingDeliveries(store, now()),
    }),
  };
}
