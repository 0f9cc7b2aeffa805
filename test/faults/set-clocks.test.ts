/** Clocks across real processes: servers whose clocks are apart, and clocks that are set while tasks run and wait. */
import { scratchDatabase } from '@parley/store/testing';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { ensureBuilt } from '../product/build.ts';
import { libfaketime, NO_LIBFAKETIME } from './clock.ts';
import { eventsApart, eventsSetBack } from './event-clocks.ts';
import type { ClockOptions } from './set-clocks.ts';
import { clocksApart, clockSet } from './set-clocks.ts';

beforeAll(async () => {
  await ensureBuilt();
  if (libfaketime() === undefined) process.stderr.write(`${NO_LIBFAKETIME}\n`);
});

const CLEAN = { missing: [], repeated: [], failed: [], stuck: [] };

/** Longer than a busy machine keeps a process waiting, and shorter than the clocks are apart. */
const LONG_LEASE_MS = 20_000;
/** For one that has to end, of a process that is dead. */
const SHORT_LEASE_MS = 2_000;

async function openOptions(
  engine: 'sqlite' | 'postgres',
  leaseMs: number = LONG_LEASE_MS,
): Promise<ClockOptions> {
  const database = await scratchDatabase(engine);
  onTestFinished(() => database.remove());
  return { ...database.options, leaseMs, takeoverMs: 500 };
}

test('no step runs twice where the clocks of servers are 25 s and 60 s apart', async () => {
  const report = await clocksApart(await openOptions('postgres'), [0, 25_000, 60_000]);
  expect(report).toMatchObject({ ...CLEAN, twice: [] });
});

test.each([
  { engine: 'sqlite', setting: 'back an hour', dies: true },
  { engine: 'postgres', setting: 'back an hour', dies: false },
  { engine: 'sqlite', setting: 'forward a day', dies: false },
] as const)(
  'tasks that run, wait and sleep go on when the clock is set $setting on $engine (the process dies: $dies)',
  async ({ engine, setting, dies }) => {
    const options = await openOptions(engine, dies ? SHORT_LEASE_MS : LONG_LEASE_MS);
    const report = await clockSet(options, setting, { dies });
    expect(report).toMatchObject(CLEAN);
    // A step that was under way in a process that died runs again.
    if (!dies) expect(report.twice).toEqual([]);
  },
);

const ON_TIME = { late: [], early: [], double: [] };

test('webhooks and schedules keep their time where a server is 25 s ahead', async () => {
  expect(await eventsApart(await openOptions('postgres'), 25_000)).toEqual(ON_TIME);
});

test.each(['sqlite', 'postgres'] as const)(
  'webhooks and schedules keep their time when the clock is set back an hour, on %s',
  async (engine) => {
    expect(await eventsSetBack(await openOptions(engine))).toEqual(ON_TIME);
  },
);
