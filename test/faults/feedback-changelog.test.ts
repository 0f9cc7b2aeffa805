/** The fault "kill -9 before a changelog entry is due": it is published all the same, and announced exactly once. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createEvents, eventMigrations } from '@parley/events';
import { createEgress } from '@parley/kit/egress';
import { createFeedbackServices, feedbackMigrations } from '@parley/feedback';
import { createIdentity, identityMigrations } from '@parley/identity';
import { createChangeBus } from '@parley/kit';
import { testCaller } from '@parley/kit/testing';
import type { StoreOptions } from '@parley/store';
import type { OpenStore } from '@parley/store/testing';
import { onBothEngines } from '@parley/store/testing';
import { createTaskEngine, taskMigrations } from '@parley/tasks';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import type { ProgramOptions, Report } from './feedback-program.ts';

interface EventTables {
  events: { organization_id: string; type: string; subject: string; created_at: number };
}

/** An entry is due so long after it was made: nobody waits for it, the clocks of all are set ahead. */
const DUE_IN_MS = 60 * 60_000;

/** A database with an organization, and an observer that runs no task. */
async function openBed(open: OpenStore, where: () => Promise<StoreOptions>) {
  let aheadMs = 0;
  const now = () => Date.now() + aheadMs;
  const store = await open();
  await store.migrate([identityMigrations, taskMigrations, eventMigrations, feedbackMigrations]);
  const identity = createIdentity(store);
  const tasks = createTaskEngine({ store, now });
  const onFault = (error: unknown) => {
    throw error;
  };
  const egress = createEgress();
  const services = createFeedbackServices({
    store,
    identity,
    tasks,
    events: createEvents({ store, tasks, egress, now, onFault }),
    changes: createChangeBus(),
    now,
    onFault,
  });
  const programs: Program[] = [];
  const made = await identity.createOrganization({
    slug: 'acme',
    name: 'Acme',
    owner: { name: 'Ada', email: null },
  });
  const caller = testCaller({ ...made, roles: ['owner'] });
  const admin = await services.actor(caller);
  return {
    services,
    admin,
    now,
    /** Lets the time of the entry come, here and in every program. */
    letItBeDue() {
      aheadMs = DUE_IN_MS;
      for (const program of programs) program.setAhead(aheadMs);
    },
    /** Starts a program; returns when it is ready or has ended itself. */
    async start(options: Partial<ProgramOptions> = {}) {
      const program = await startProgram({ store: await where(), caller, aheadMs, ...options });
      programs.push(program);
      return program;
    },
    announced: () =>
      store
        .db<EventTables>()
        .selectFrom('events')
        .select(['subject', 'created_at'])
        .where('organization_id', '=', made.organizationId)
        .where('type', '=', 'changelog.published')
        .execute(),
    async scheduled() {
      const { items } = await services.changelog.list(admin, { limit: 10 });
      expect(items).toHaveLength(1);
      const [entry] = items;
      return { id: entry?.id ?? '', at: Date.parse(entry?.publishedAt ?? ''), state: entry?.state };
    },
    async [Symbol.asyncDispose]() {
      for (const program of programs) await program.kill();
      await egress.close();
    },
  };
}

type Bed = Awaited<ReturnType<typeof openBed>>;

interface Program {
  readonly gone: Promise<unknown>;
  setAhead(ms: number): void;
  /** Ends it at once and waits for its end. */
  kill(): Promise<void>;
}

async function startProgram(options: ProgramOptions): Promise<Program> {
  const child = fork(join(import.meta.dirname, 'feedback-program.ts'), [JSON.stringify(options)], {
    execArgv: [],
  });
  const gone = once(child, 'exit');
  const reports: Report[] = [];
  child.on('message', (report: Report) => reports.push(report));
  const ready = eventually(() => expect(reports.some((report) => 'isReady' in report)).toBe(true));
  // One that ends itself never gets ready.
  await Promise.race([ready, gone]);
  return {
    gone,
    setAhead: (ms) => {
      if (child.connected) child.send(ms);
    },
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** Waits for the one announcement of the one entry, which is not before its time. */
async function expectOneAnnouncement(bed: Bed): Promise<void> {
  const { id, at } = await bed.scheduled();
  const [first] = await eventually(async () => {
    const all = await bed.announced();
    expect(all).toHaveLength(1);
    return all;
  });
  expect(first?.subject).toBe(id);
  expect(first?.created_at).toBeGreaterThanOrEqual(at);
  // A later entry goes through the same queue: what should not come would have come by then.
  const later = await bed.services.changelog.create(bed.admin, {
    title: 'Later',
    content: 'x',
    publishedAt: new Date(bed.now() + 300).toISOString(),
  });
  await eventually(async () =>
    expect((await bed.announced()).map(({ subject }) => subject)).toContain(later.id),
  );
  expect((await bed.announced()).filter(({ subject }) => subject === id)).toHaveLength(1);
}

onBothEngines('kill -9 before a changelog entry is due', (open, _engine, where) => {
  test('another process publishes it', async () => {
    await using bed = await openBed(open, where);
    const first = await bed.start({ scheduleInMs: DUE_IN_MS });
    await first.kill();
    await bed.start();
    expect(await bed.scheduled()).toMatchObject({ state: 'scheduled' });
    expect(await bed.announced()).toEqual([]);
    bed.letItBeDue();
    await expectOneAnnouncement(bed);
  });

  test('a process that starts after its time publishes it', async () => {
    await using bed = await openBed(open, where);
    const first = await bed.start({ scheduleInMs: DUE_IN_MS });
    await first.kill();
    expect(await bed.scheduled()).toMatchObject({ state: 'scheduled' });
    bed.letItBeDue();
    expect(await bed.announced()).toEqual([]);
    // Readers go by the clock and need no process.
    expect(await bed.scheduled()).toMatchObject({ state: 'published' });
    await bed.start();
    await expectOneAnnouncement(bed);
  });

  test('an entry whose maker dies right after the commit is published', async () => {
    await using bed = await openBed(open, where);
    const first = await bed.start({ scheduleInMs: DUE_IN_MS, thenDie: true });
    await first.gone;
    expect(await bed.scheduled()).toMatchObject({ state: 'scheduled' });
    await bed.start();
    bed.letItBeDue();
    await expectOneAnnouncement(bed);
  });

  test('two processes announce it once', async () => {
    await using bed = await openBed(open, where);
    await Promise.all([bed.start({ scheduleInMs: DUE_IN_MS }), bed.start()]);
    bed.letItBeDue();
    await expectOneAnnouncement(bed);
  });
});
