/** The fault "kill -9 before a changelog entry is due": it is published in time, and announced exactly once. */
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
import { expect, test, vi } from 'vitest';
import type { ProgramOptions, Report } from './feedback-program.ts';

const DEADLINE_MS = 20_000;
const IN_TIME_MS = 2000;

interface EventTables {
  events: { organization_id: string; type: string; subject: string; created_at: number };
}

/** A database with an organization, and an observer that runs no task. */
async function openBed(open: OpenStore, where: () => Promise<StoreOptions>) {
  const store = await open();
  await store.migrate([identityMigrations, taskMigrations, eventMigrations, feedbackMigrations]);
  const identity = createIdentity(store);
  const tasks = createTaskEngine({ store });
  const onFault = (error: unknown) => {
    throw error;
  };
  const egress = createEgress();
  const services = createFeedbackServices({
    store,
    identity,
    tasks,
    events: createEvents({ store, tasks, egress, onFault }),
    changes: createChangeBus(),
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
    /** Starts a program; answers when it is ready or has ended itself. */
    async start(options: Partial<ProgramOptions> = {}) {
      const program = await startProgram({ store: await where(), caller, ...options });
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
  readonly readyAt: number;
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
  const ready = vi.waitFor(() => expect(reports.some((report) => 'isReady' in report)).toBe(true), {
    timeout: DEADLINE_MS,
  });
  // One that ends itself never gets ready.
  await Promise.race([ready, gone]);
  return {
    gone,
    readyAt: Date.now(),
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** Waits for the one announcement of the one entry; answers how late it was. */
async function announcedOnce(bed: Bed, { readyAt }: Program): Promise<number> {
  const { id, at } = await bed.scheduled();
  const [first] = await vi.waitFor(
    async () => {
      const all = await bed.announced();
      expect(all).toHaveLength(1);
      return all;
    },
    { timeout: DEADLINE_MS, interval: 20 },
  );
  expect(first?.subject).toBe(id);
  expect(first?.created_at).toBeGreaterThanOrEqual(at);
  // A later entry goes through the same queue: what should not come would have come by then.
  const later = await bed.services.changelog.create(bed.admin, {
    title: 'Later',
    content: 'x',
    publishedAt: new Date(Date.now() + 300).toISOString(),
  });
  await vi.waitFor(
    async () => expect((await bed.announced()).map(({ subject }) => subject)).toContain(later.id),
    { timeout: DEADLINE_MS, interval: 20 },
  );
  expect((await bed.announced()).filter(({ subject }) => subject === id)).toHaveLength(1);
  return (first?.created_at ?? 0) - Math.max(at, readyAt);
}

onBothEngines('kill -9 before a changelog entry is due', (open, _engine, where) => {
  test('another process publishes it in time', async () => {
    await using bed = await openBed(open, where);
    const first = await bed.start({ scheduleInMs: 5000 });
    await first.kill();
    expect(await bed.scheduled()).toMatchObject({ state: 'scheduled' });
    expect(await announcedOnce(bed, await bed.start())).toBeLessThan(IN_TIME_MS);
  });

  test('a process that starts after its time publishes it at once', async () => {
    await using bed = await openBed(open, where);
    const first = await bed.start({ scheduleInMs: 2500 });
    await first.kill();
    const { at, state } = await bed.scheduled();
    expect(state).toBe('scheduled');
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(at), { timeout: DEADLINE_MS });
    expect(await bed.announced()).toEqual([]);
    // Readers go by the clock and need no process.
    expect(await bed.scheduled()).toMatchObject({ state: 'published' });
    expect(await announcedOnce(bed, await bed.start())).toBeLessThan(IN_TIME_MS);
  });

  test('an entry whose maker dies right after the commit is published', async () => {
    await using bed = await openBed(open, where);
    const first = await bed.start({ scheduleInMs: 4000, thenDie: true });
    await first.gone;
    expect(await bed.scheduled()).toMatchObject({ state: 'scheduled' });
    expect(await announcedOnce(bed, await bed.start())).toBeLessThan(IN_TIME_MS);
  });

  test('two processes announce it once', async () => {
    await using bed = await openBed(open, where);
    await bed.start({ scheduleInMs: 4000 });
    expect(await announcedOnce(bed, await bed.start())).toBeLessThan(IN_TIME_MS);
  });
});
