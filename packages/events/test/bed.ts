/** Events for tests: a started task engine, a clock that the test turns, and waits with a deadline. */
import type { EgressPolicy } from '@parley/kit/egress';
import type { Store } from '@parley/store';
import type { OpenStore } from '@parley/store/testing';
import type { TaskEngine } from '@parley/tasks';
import { createTaskEngine, taskMigrations } from '@parley/tasks';
import { sql } from 'kysely';
import { eventually } from '@parley/test-support/eventually';
import { expect, onTestFinished } from 'vitest';
import type { NewEvent } from '../src/cloud-event.ts';
import { createEvents } from '../src/events.ts';
import type { Events } from '../src/events.ts';
import type { EventLimits } from '../src/limits.ts';
import { eventMigrations } from '../src/migrations/index.ts';
import type { EventTables } from '../src/schema.ts';
import type { MayPublish } from '../src/schedules/fire.ts';
import type { Deliver } from '../src/subscribers/target.ts';
import { createEgress } from '@parley/kit/egress';

/** What `openBed` applies; a suite that names them starts sooner. */
export const BED_MIGRATIONS = [taskMigrations, eventMigrations];

/** Whose events they are unless a test says otherwise. */
export const ORG = 'org_test';

/** A clock that stands still until the test turns it. */
export class TestClock {
  ms = Date.UTC(2030, 0, 1);
  readonly now = (): number => this.ms;
}

/** How a test wants its events. */
export interface BedOptions {
  readonly policy?: EgressPolicy;
  readonly limits?: Partial<EventLimits>;
  readonly clock?: TestClock;
  /** Whether this process delivers; true by default. */
  readonly delivers?: boolean;
  /** Calls connections. */
  readonly deliver?: Deliver;
  /** Whether a source may still publish; all may by default. */
  readonly mayPublish?: MayPublish;
}

/** Events under test with what the tests do all the time. */
export interface Bed {
  readonly store: Store;
  readonly tasks: TaskEngine;
  readonly events: Events;
  readonly clock: TestClock;
  readonly faults: unknown[];
  /** Publishes in a transaction of its own; returns the id. */
  publish(event?: Partial<NewEvent>): Promise<string>;
  /** Waits until no pump runs, and turns the clock. */
  turn(byMs: number): Promise<void>;
  /** Waits until no pump runs. */
  idle(): Promise<void>;
}

/** Opens one more store on the database of the test, with the tables and events on it. */
export async function openBed(open: OpenStore, options: BedOptions = {}): Promise<Bed> {
  const store = await open();
  await store.migrate(BED_MIGRATIONS);
  const clock = options.clock ?? new TestClock();
  const faults: unknown[] = [];
  const onFault = (error: unknown) => {
    faults.push(error);
  };
  const { now } = clock;
  // Looks often, so that a turned clock is noticed soon.
  const tasks = createTaskEngine({ store, now, onFault, limits: { takeoverMs: 20 } });
  const egress = createEgress(options.policy);
  const events = createEvents({
    store,
    tasks,
    egress,
    onFault,
    now,
    deliver: options.deliver,
    // A test that waits until no pump runs does not wait for those that only stay.
    limits: { lingerMs: 0, ...options.limits },
    ...(options.mayPublish && { mayPublish: options.mayPublish }),
  });
  if (options.delivers !== false) tasks.start();
  onTestFinished(async () => {
    await events.stop();
    await tasks.stop();
    await egress.close();
  });
  const idle = () =>
    eventually(async () => {
      await events.woken();
      // In one look: another process may be about to wake one.
      const running = await sql<{ id: string }>`
        select id from tasks where state = 'running' or (state = 'ready' and due_at <= ${now()})
        union all
        select event_deliveries.id from event_deliveries join event_targets on event_targets.id = target_id
        where status = 'pending' and next_at <= ${now()} and pump_at is null and paused_reason is null
      `.execute(store.db());
      expect(running.rows).toEqual([]);
    });
  return {
    store,
    tasks,
    events,
    clock,
    faults,
    idle,
    publish: (event = {}) =>
      store.transaction(
        async (tx) =>
          (
            await events.publish(tx, {
              organizationId: ORG,
              source: 'feedback',
              type: 'post.created',
              ...event,
            })
          ).id,
      ),
    async turn(byMs) {
      await idle();
      clock.ms += byMs;
    },
  };
}

/** How many rows a table has. */
export async function count(store: Store, table: keyof EventTables | 'tasks'): Promise<number> {
  const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`
    .execute(store.db())
    .then((found) => ({ rows: Number(found.rows[0]?.rows) }));
  return rows;
}
