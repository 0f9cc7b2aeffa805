/** Several processes on one data folder: exactly one wins, nothing is lost, waiters wake. */
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { randomUUID } from 'node:crypto';
import { annotationMigrations, createAnnotationServices } from '@parley/annotations';
import type { AnnotationServices } from '@parley/annotations';
import { testCaller } from '@parley/kit/testing';
import type { Store, StoreOptions } from '@parley/store';
import { onBothEngines } from '@parley/store/testing';
import { DEADLINE_MS } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import { noteOf, ORIGIN } from './annotations-page.ts';
import type { RacerOrder } from './annotations-racer.ts';

const PROGRAM = join(import.meta.dirname, 'annotations-racer.ts');
const ORGANIZATION = 'org_test';
const RACES = 1000;
/** For work, not waits: it takes as long as the machine lets it. */
const WORK = { timeout: 600_000 };

interface Racer {
  readonly child: ChildProcess;
  order(order: RacerOrder): Promise<unknown>;
  stop(): Promise<void>;
}

async function startRacer(options: StoreOptions, name: string): Promise<Racer> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify({ options, name })], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('ready');
  return {
    child,
    async order(order) {
      child.stdin.write(`${JSON.stringify(order)}\n`);
      return JSON.parse(String((await lines.next()).value)) as unknown;
    },
    async stop() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

async function openServices(store: Store) {
  await store.migrate([annotationMigrations]);
  const services = createAnnotationServices({ store });
  const page = await services.pageTokens.find(await services.pageTokens.show(ORGANIZATION), ORIGIN);
  const { row } = await services.sessions.open(page!, ORIGIN, {
    url: `${ORIGIN}/cart`,
    title: 'Cart',
    viewport: { width: 1, height: 1, pixelRatio: 1 },
    userAgent: 'Test browser',
    framework: 'none',
  });
  return { services, session: { id: row.id, organization_id: row.organization_id } };
}

async function makeNotes(
  services: AnnotationServices,
  session: { id: string; organization_id: string },
  count: number,
) {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { annotation } = await services.person.create(session, noteOf(`Note ${index}`, randomUUID()));
    ids.push(annotation.id);
  }
  return ids;
}

onBothEngines('processes on one data folder', (open, _engine, where) => {
  test(
    `two processes take up the same note at the same time, ${RACES} times: one wins each, nothing is lost`,
    WORK,
    async () => {
      const { services, session } = await openServices(await open());
      const ids = await makeNotes(services, session, RACES);
      const racers = await Promise.all(
        ['left', 'right'].map(async (name) => startRacer(await where(), name)),
      );
      const at = Date.now() + 200;
      const [left, right] = (await Promise.all(
        racers.map((racer) => racer.order({ do: 'acknowledge', ids, at })),
      )) as [string[], string[]];
      for (const [index, id] of ids.entries()) {
        expect(new Set([left[index], right[index]]), id).toEqual(new Set(['conflict', 'won']));
      }
      const byId = new Map((await services.notes.byId(ids)).map((annotation) => [annotation.id, annotation]));
      for (const [index, id] of ids.entries()) {
        const winner = left[index] === 'won' ? 'left' : 'right';
        expect(byId.get(id), id).toMatchObject({
          status: 'acknowledged',
          acknowledgedBy: { name: winner },
          replies: [{ message: `taken by ${winner}` }],
        });
        expect(byId.get(id)?.replies).toHaveLength(1);
      }
      await Promise.all(racers.map((racer) => racer.stop()));
      await services.close();
    },
  );

  test('fifty callers in three processes take up one note: one success, one reply', async () => {
    const { services, session } = await openServices(await open());
    const [id = ''] = await makeNotes(services, session, 1);
    const racers = await Promise.all(['left', 'right'].map(async (name) => startRacer(await where(), name)));
    const at = Date.now() + 100;
    const mine = Array.from({ length: 16 }, () =>
      services.agent.acknowledge(testCaller({ name: 'here' }), id, 'taken by here').then(
        () => 'won',
        (error: unknown) => (error as { code: string }).code,
      ),
    );
    const theirs = (await Promise.all(
      racers.map((racer) =>
        racer.order({ do: 'acknowledge', ids: Array.from({ length: 17 }, () => id), at }),
      ),
    )) as string[][];
    const outcomes = [...(await Promise.all(mine)), ...theirs.flat()];
    expect(outcomes.filter((outcome) => outcome === 'won')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'conflict')).toHaveLength(49);
    expect((await services.notes.get(ORGANIZATION, id)).replies).toHaveLength(1);
    await Promise.all(racers.map((racer) => racer.stop()));
    await services.close();
  });

  test('every note that another process makes wakes a watch', async () => {
    const { services, session } = await openServices(await open());
    const racer = await startRacer(await where(), 'maker');
    for (let count = 0; count < 40; count += 1) {
      const watching = services.watches.watch(
        { organizationId: ORGANIZATION },
        { timeoutMs: DEADLINE_MS, batchWindowMs: 0, signal: new AbortController().signal },
      );
      const made = (await racer.order({ do: 'create', session })) as { id: string };
      const found = await watching;
      expect(found?.annotations.map(({ id }) => id)).toEqual([made.id]);
      await services.agent.resolve(testCaller(), made.id);
    }
    await racer.stop();
    await services.close();
  });
});
