/** Connections as a kind of target: events in batches to `ON_EVENTS`, or to handlers in this process. */
import type { Store } from '@parley/store';
import type { CloudEvent } from '../cloud-event.ts';
import type { TargetKind } from '../delivery/parts.ts';
import type { EventLimits } from '../limits.ts';
import { patternsOf } from '../matching.ts';
import type { EventTables } from '../schema.ts';
import type { DeliveryAnswer } from './answer.ts';
import { outcomesOf } from './answer.ts';

/** The kind of a connection's target. */
export const CONNECTION = 'connection';

/** The id of a connection's target; no other target has a colon in its id. */
export function targetIdOf(connectionId: string): string {
  return `${CONNECTION}:${connectionId}`;
}

/** The connection of a target. */
export function connectionIdOf(targetId: string): string {
  return targetId.slice(CONNECTION.length + 1);
}

/** The connection that stands for an organization itself. */
export function selfOf(organizationId: string): string {
  return `${organizationId}_self`;
}

/** Who is called. */
export interface Subscriber {
  readonly organizationId: string;
  readonly connectionId: string;
  /** The users whose subscriptions asked for these events; the call has their power and no more. */
  readonly createdBy: readonly string[];
}

/** Calls `ON_EVENTS` of a connection. */
export type Deliver = (
  subscriber: Subscriber,
  events: readonly CloudEvent[],
  signal: AbortSignal,
) => Promise<DeliveryAnswer>;

/** Takes events in this process; what it returns is read like the answer of `ON_EVENTS`. */
export type EventHandler = (
  organizationId: string,
  events: readonly CloudEvent[],
  signal: AbortSignal,
) => Promise<unknown>;

/** Handlers by pattern. */
export class Handlers {
  readonly #byPattern = new Map<string, EventHandler>();

  /** One handler per pattern; returns the function that ends it. */
  add(pattern: string, handler: EventHandler): () => void {
    if (this.#byPattern.has(pattern)) throw new Error(`Somebody handles "${pattern}" already.`);
    this.#byPattern.set(pattern, handler);
    return () => this.#byPattern.delete(pattern);
  }

  of(type: string): EventHandler | undefined {
    for (const pattern of patternsOf(type)) {
      const handler = this.#byPattern.get(pattern);
      if (handler !== undefined) return handler;
    }
    return undefined;
  }
}

export interface SubscriberParts {
  readonly store: Store;
  readonly limits: EventLimits;
  readonly handlers: Handlers;
  /** Absent: nothing here can call a connection. */
  readonly deliver: Deliver | undefined;
  readonly onFault: (error: unknown, where: string) => void;
}

/** Delivers to connections. */
export function connectionTarget(parts: SubscriberParts): TargetKind {
  const { limits, handlers, deliver } = parts;
  const places = new Places(limits);
  return {
    kind: CONNECTION,
    retryDelaysMs: limits.subscriberRetryDelaysMs,
    jitter: limits.subscriberJitter,
    lanes: 1,
    batch: limits.eventsPerCall,
    isOrdered: false,
    perSubscription: true,
    async attempt(target, { events, subscriptionIds }, signal) {
      const { organization_id: organizationId } = target;
      const connectionId = connectionIdOf(target.id);
      const call = async (group: readonly CloudEvent[], work: Call) =>
        outcomesOf(group, await withinTime(parts, signal, work));
      if (connectionId === selfOf(organizationId)) {
        const groups = [...Map.groupBy(events, ({ type }) => handlers.of(type))];
        const outcomes = groups.map(([handler, group]) =>
          call(group, async (time) =>
            handler === undefined
              ? { kind: 'waiting', error: 'Nothing here handles this type. It waits for EVENT_ACK.' }
              : { kind: 'answered', answer: (await handler(organizationId, group, time)) ?? {} },
          ),
        );
        return new Map((await Promise.all(outcomes)).flatMap((outcome) => [...outcome]));
      }
      const createdBy = await creatorsOf(parts.store, subscriptionIds);
      return places.run(organizationId, () =>
        call(
          events,
          async (time) =>
            deliver?.({ organizationId, connectionId, createdBy }, events, time) ?? {
              kind: 'waiting',
              error: 'This server calls no connections. It waits for EVENT_ACK.',
            },
        ),
      );
    },
    settled: async () => undefined,
  };
}

type Call = (signal: AbortSignal) => Promise<DeliveryAnswer>;

/** One call within its time; throws only when it is ourselves who stop. */
async function withinTime(
  { limits: { callMs }, onFault }: SubscriberParts,
  stop: AbortSignal,
  call: Call,
): Promise<DeliveryAnswer> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(callMs)]);
  const over = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  try {
    stop.throwIfAborted();
    const answer = await Promise.race([call(signal), over]);
    if (answer !== undefined) return answer;
  } catch (error) {
    // Whoever calls answers with a failure; what is thrown is a fault of ours, whose words stay here.
    if (!signal.aborted) {
      onFault(error, 'event subscriber');
      return { kind: 'failed', error: 'The subscriber could not be called.' };
    }
  }
  stop.throwIfAborted();
  return { kind: 'failed', error: `The subscriber did not answer within ${callMs / 1000} seconds.` };
}

async function creatorsOf(store: Store, subscriptionIds: readonly string[]): Promise<string[]> {
  const rows = await store
    .db<EventTables>()
    .selectFrom('event_subscriptions')
    .select('created_by')
    .distinct()
    .where('id', 'in', subscriptionIds)
    .orderBy('created_by')
    .execute();
  return rows.flatMap(({ created_by: userId }) => userId ?? []);
}

/** Places for calls: so many of an organization and so many of all, since those of one may all hang. */
class Places {
  readonly #ofOrganization = new Map<string, Semaphore>();
  readonly #all: Semaphore;
  readonly #each: number;

  constructor({ callsAtOnce, callsOfAllAtOnce }: EventLimits) {
    this.#each = callsAtOnce;
    this.#all = new Semaphore(callsOfAllAtOnce);
  }

  async run<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    const own = this.#ofOrganization.get(organizationId) ?? new Semaphore(this.#each);
    this.#ofOrganization.set(organizationId, own);
    try {
      return await own.run(() => this.#all.run(work));
    } finally {
      if (own.isIdle) this.#ofOrganization.delete(organizationId);
    }
  }
}

/** So many at once; the others wait in turn. */
class Semaphore {
  #free: number;
  readonly #places: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#places = places;
    this.#free = places;
  }

  get isIdle(): boolean {
    return this.#free === this.#places;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
