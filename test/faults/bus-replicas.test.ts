/** The fault "a replica of the event bus is killed under load": every event arrives, and cron fires once per tick. */
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createEvents, eventMigrations } from '@parley/events';
import { createEgress } from '@parley/kit/egress';
import { onBothEngines } from '@parley/store/testing';
import { createTaskEngine, taskMigrations } from '@parley/tasks';
import { eventually } from '@parley/test-support/eventually';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ReplicaOptions, Taken } from './bus-program.ts';

const ORG = 'org_test';
const MIGRATIONS = [taskMigrations, eventMigrations];
const CONNECTIONS = ['conn_a', 'conn_b'];
// The issue asks for 10,000: PARLEY_FAULT_EVENTS=10000 runs them all.
const EVENTS = Number(process.env['PARLEY_FAULT_EVENTS'] ?? 400);
const AT_ONCE = 50;
/** So long that only what never comes meets it. */
const WAIT_MS = 60_000 + EVENTS * 10;
/** A dead process is noticed soon; yet a busy machine does not make a living one look dead. */
const QUICK = { leaseMs: 4000, renewMs: 500, takeoverMs: 200 };

onBothEngines(
  'two replicas of the event bus',
  (open, engine, where) => {
    // Replicas are for PostgreSQL; what one process does is the same on both.
    test.runIf(engine === 'postgres')(
      'subscribers that fail, and one replica killed: nothing is lost, and twice comes only what it held',
      { timeout: 3 * WAIT_MS },
      async () => {
        const store = await open();
        await store.migrate(MIGRATIONS);
        const tasks = createTaskEngine({ store });
        const egress = createEgress();
        onTestFinished(() => egress.close());
        const events = createEvents({ store, tasks, egress, onFault: () => undefined });
        for (const connectionId of CONNECTIONS)
          await events.subscribers.subscribe(
            { organizationId: ORG, connectionId, createdBy: null },
            { eventType: 'load' },
          );
        const taken: (Taken & { by: ChildProcess })[] = [];
        const start = async () => {
          const options: ReplicaOptions = {
            store: await where(),
            limits: QUICK,
            retryDelaysMs: Array.from({ length: 40 }, () => 50),
            failing: 0.2,
          };
          const program = join(import.meta.dirname, 'bus-program.ts');
          const child = fork(program, [JSON.stringify(options)], { execArgv: [] });
          const gone = once(child, 'exit');
          onTestFinished(async () => {
            child.kill('SIGKILL');
            await gone;
          });
          await once(child, 'message');
          child.on('message', (message: Taken) => taken.push({ ...message, by: child }));
          return { child, gone };
        };
        const [doomed, survivor] = await Promise.all([start(), start()]);
        const tick = {
          organizationId: ORG,
          source: 'test',
          type: 'tick',
          cron: '* * * * * *',
          timezone: 'UTC',
        };
        const { id: scheduleId } = await events.schedule(tick);
        const published = new Set<string>();
        const one = () => events.publishNow({ organizationId: ORG, source: 'test', type: 'load' });
        const publish = async () => {
          while (published.size < EVENTS)
            for (const { id } of await Promise.all(Array.from({ length: AT_ONCE }, one))) published.add(id);
        };
        const publishing = publish();
        const arrived = () => taken.reduce((sum, { ids }) => sum + ids.length, 0);
        await vi.waitFor(() => expect(arrived()).toBeGreaterThan(EVENTS / 3), {
          timeout: WAIT_MS,
          interval: 10,
        });
        doomed.child.kill('SIGKILL');
        await doomed.gone;
        await publishing;

        const of = (connectionId: string) => taken.filter((one) => one.connectionId === connectionId);
        for (const connectionId of CONNECTIONS)
          await vi.waitFor(
            () => expect(new Set(of(connectionId).flatMap(({ ids }) => ids))).toEqual(published),
            {
              timeout: WAIT_MS,
              interval: 50,
            },
          );
        for (const connectionId of CONNECTIONS) {
          const seenBy = new Map<string, ChildProcess[]>();
          for (const { ids, by } of of(connectionId))
            for (const id of ids) seenBy.set(id, [...(seenBy.get(id) ?? []), by]);
          const twice = [...seenBy.values()].filter((by) => by.length > 1);
          // What the killed one had taken and could not say any more: one call, which is 100 events at most.
          expect(twice.every((by) => by.length === 2 && by[0] === doomed.child)).toBe(true);
          expect(twice.length).toBeLessThanOrEqual(100);
        }
        await eventually(async () => {
          const waiting = await events.history.deliveries(ORG, { status: 'pending', limit: 10 });
          const held = await events.history.deliveries(ORG, { status: 'processing', limit: 10 });
          expect([...waiting, ...held]).toEqual([]);
        });

        const ticks = () => events.history.events(ORG, { after: 0, types: ['tick'], limit: 1000 });
        await eventually(async () => expect((await ticks()).length).toBeGreaterThanOrEqual(3));
        expect(await events.cancel({ organizationId: ORG }, scheduleId)).toBe(true);
        const fired = await ticks();
        expect(new Set(fired.map(({ time }) => time)).size).toBe(fired.length);
        expect(new Set(fired.map(({ id }) => id)).size).toBe(fired.length);
        expect(new Set(fired.map(({ parleyschedule }) => parleyschedule))).toEqual(new Set([scheduleId]));
        const last = await events.schedule({ ...tick, cron: '*/2 * * * * *', type: 'another' });
        await eventually(async () =>
          expect(await events.history.events(ORG, { after: 0, types: ['another'], limit: 1 })).toHaveLength(
            1,
          ),
        );
        expect(last.id).not.toBe(scheduleId);
        expect(await ticks()).toEqual(fired);
        survivor.child.kill('SIGKILL');
        await survivor.gone;
      },
    );
  },
  MIGRATIONS,
);
