/** The pump: runs as a task, brings what is due to one target, and hands over until more is due. */
import type { Store } from '@parley/store';
import { StoreUnavailableError } from '@parley/store';
import type { Ending, Kind } from '@parley/tasks';
import { toCloudEvent } from '../cloud-event.ts';
import type { EventRow } from '../schema.ts';
import type { DeliveryParts, TargetKind } from './parts.ts';
import type { PumpInput } from './pump-task.ts';
import { DUE, PUMP_KIND } from './pump-task.ts';
import type { Claimed, HeldTarget } from './queue.ts';
import { beginRun, claimDue, handOver, TargetLost } from './queue.ts';
import { settle } from './settle.ts';

const DONE: Ending = { outcome: 'completed', result: null };

/** The code of pump tasks. */
export function pumpKind(parts: DeliveryParts): Kind {
  return {
    kind: PUMP_KIND,
    version: 1,
    // Deliveries must not wait until callers let go of their places.
    isSystem: true,
    async run(input, { signal }) {
      // Written by us when the pump was made.
      const { targetId, pump } = input as PumpInput;
      const held = await beginRun(parts, targetId, pump);
      if (held === undefined) return DONE;
      try {
        await runPump(parts, held, signal);
      } catch (error) {
        if (signal.aborted || error instanceof StoreUnavailableError) throw error;
        if (!(error instanceof TargetLost)) await recover(parts, held, error);
      }
      return DONE;
    },
  };
}

/** A fault of our own: told, and tried again after a pause. */
async function recover(parts: DeliveryParts, held: HeldTarget, error: unknown): Promise<void> {
  parts.onFault(error, 'event delivery');
  const notBefore = parts.now() + parts.limits.pollMs;
  await handOver(parts, held, { mayGoOn: false, notBefore }).catch((lost: unknown) => {
    if (!(lost instanceof TargetLost)) throw lost;
  });
}

async function runPump(parts: DeliveryParts, held: HeldTarget, signal: AbortSignal): Promise<void> {
  const { store, limits } = parts;
  const kind = parts.kinds.get(held.kind);
  if (kind === undefined) throw new Error(`Nothing here delivers to targets of the kind "${held.kind}".`);
  const bell = listen(store, held.id);
  const rest = parts.waker.works(held.id);
  const underWay = new Set<Promise<void>>();
  const broken = new AbortController();
  const stopped = AbortSignal.any([signal, broken.signal]);
  let attemptsLeft = limits.attemptsPerRun;
  try {
    for (;;) {
      stopped.throwIfAborted();
      const rung = bell.next();
      const room = Math.min(kind.lanes - underWay.size, attemptsLeft);
      const hasRoom = room > 0;
      const loads = hasRoom ? loadsOf(await claimDue(parts, held, room * kind.batch), kind) : [];
      if (loads.length > 0) {
        attemptsLeft -= loads.length;
        for (const claimed of loads) {
          const work = deliver(parts, held, { kind, claimed, signal })
            .catch((error: unknown) => broken.abort(error))
            .finally(() => underWay.delete(work));
          underWay.add(work);
        }
      } else if (underWay.size > 0) {
        await Promise.race(hasRoom ? [...underWay, rung] : underWay);
      } else {
        // The last one may have broken down since the look at the top.
        stopped.throwIfAborted();
        if (hasRoom && (await parts.lingering.stay(held.organization_id, rung, stopped))) continue;
        if (await handOver(parts, held, { mayGoOn: attemptsLeft > 0 })) return;
      }
    }
  } finally {
    bell.close();
    rest();
    await Promise.allSettled(underWay);
  }
}

/** What was taken, an attempt each. */
function loadsOf({ deliveries, events }: Claimed, { batch }: TargetKind): Claimed[] {
  const byEvent = Map.groupBy(deliveries, ({ event_id: id }) => id);
  const loads: Claimed[] = [];
  for (let start = 0; start < events.length; start += batch) {
    const own: readonly EventRow[] = events.slice(start, start + batch);
    loads.push({ events: own, deliveries: own.flatMap(({ id }) => byEvent.get(id) ?? []) });
  }
  return loads;
}

interface Attempting {
  readonly kind: TargetKind;
  readonly claimed: Claimed;
  readonly signal: AbortSignal;
}

async function deliver(
  parts: DeliveryParts,
  held: HeldTarget,
  { kind, claimed, signal }: Attempting,
): Promise<void> {
  const { deliveries, events } = claimed;
  const subscriptionIds = [...new Set(deliveries.map(({ subscription_id: id }) => id))];
  const startedMs = performance.now();
  const attempts = await kind.attempt(held, { events: events.map(toCloudEvent), subscriptionIds }, signal);
  parts.delivered.count(kind.kind, attempts.values(), performance.now() - startedMs);
  await settle(parts, held, { kind, claimed, attempts });
}

/** Rings when new work for a target was committed, also while nobody waits. */
function listen(store: Store, targetId: string): { next(): Promise<void>; close(): void } {
  let gate = Promise.withResolvers<void>();
  let hasRung = false;
  const close = store.signal.subscribe(DUE, ({ topic, payload }) => {
    if (topic !== '*' && payload !== targetId) return;
    hasRung = true;
    gate.resolve();
  });
  return {
    close,
    next() {
      if (hasRung) gate = Promise.withResolvers<void>();
      hasRung = false;
      return gate.promise;
    },
  };
}
