/** Presence between processes on PostgreSQL: a killed worker is missed long before its leases end, one that lost its connections is not. */
import { onBothEngines } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { LATER, openFaultBed } from './tasks-bed.ts';
import type { Report } from './tasks-program.ts';

type At = Extract<Report, { at: string }>;

const isAt = (report: Report): report is At => 'at' in report;

/** A lease that no test lives to see the end of. */
const LIMITS = { leaseMs: 3_600_000, renewMs: 250, takeoverMs: 100, heldSleepMs: 1_800_000 };
/** How often connections are cut while a step is under way. */
const CUTS = 3;

onBothEngines('presence of processes', (open, engine, where) => {
  test('the tasks of a killed one go on in another, by the lock or when the lease is over', async () => {
    const bed = await openFaultBed(open, where);
    const first = await bed.work('first', { mayHang: true, limits: LIMITS });
    const { id } = await bed.enqueue({ hangAt: 'inside two' });
    await first.heard(isAt);
    // Without a lock to miss, only a clock after the end of the lease says so.
    const aheadMs = engine === 'postgres' ? 0 : 2 * LATER.aheadMs;
    await bed.work('second', { limits: LIMITS, aheadMs });
    await first.kill();
    expect(await bed.ended(id)).toMatchObject({ status: 'completed', result: { two: 'second' } });
    expect(bed.effects(id)).toEqual(['one', 'two', 'two']);
  });

  test('one whose connections are cut while it works is not dead: its step runs once', async () => {
    const bed = await openFaultBed(open, where);
    const first = await bed.work('first', { mayHang: true, limits: LIMITS });
    const { id } = await bed.enqueue({ hangAt: 'inside' });
    await first.heard(isAt);
    await bed.work('second', { limits: LIMITS });
    const links = async () => {
      const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
        where datname = current_database() and application_name = 'parley-listen'`.execute(bed.store.db());
      return rows.map(({ pid }) => pid);
    };
    const cuts = engine === 'postgres' ? CUTS : 0;
    for (let cut = 0; cut < cuts; cut += 1) {
      const before = await eventually(links);
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(bed.store.db());
      await eventually(async () => {
        const now = await links();
        expect(now).toHaveLength(before.length);
        expect(now.filter((pid) => before.includes(pid))).toEqual([]);
      });
    }
    first.tell({ do: 'go' });
    expect(await bed.ended(id)).toMatchObject({ status: 'completed', result: { two: 'first' } });
    expect(bed.effects(id)).toEqual(['one', 'two']);
  });
});
