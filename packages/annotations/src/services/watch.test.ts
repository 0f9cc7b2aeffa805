import { setTimeout as delay } from 'node:timers/promises';
import { scratchStore } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { describe, expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import { AGENT, note, openDesk, ORGANIZATION } from '../../test/notes.ts';
import type { AnnotationTables } from '../schema.ts';

const SCOPE = { organizationId: ORGANIZATION };
const options = (changes: { timeoutMs?: number; batchWindowMs?: number; signal?: AbortSignal } = {}) => ({
  timeoutMs: 20_000,
  batchWindowMs: 0,
  signal: new AbortController().signal,
  ...changes,
});

onBothEngines('a watch', (open, engine) => {
  test('returns what is pending at once, without the batch window', async () => {
    const desk = await openDesk(await open());
    const { id } = await desk.note();
    const found = await desk.services.watches.watch(SCOPE, options({ batchWindowMs: 20_000 }));
    expect(found?.annotations.map((annotation) => annotation.id)).toEqual([id]);
    expect(desk.services.watches.waiting).toBe(0);
  });

  test('wakes for a note of this process and of another one', async () => {
    const desk = await openDesk(await open());
    const other = await openDesk(await open());
    const page = await desk.page();
    for (const maker of [desk, other]) {
      const watching = desk.services.watches.watch(SCOPE, options());
      await eventually(() => expect(desk.services.watches.waiting).toBe(1));
      const made = await maker.note(page);
      expect((await watching)?.annotations).toMatchObject([{ id: made.id }]);
      await desk.services.agent.resolve(AGENT, made.id);
    }
  });

  test('wakes for a note that is reopened, and not for one that is only closed', async () => {
    const desk = await openDesk(await open());
    const page = await desk.page();
    const { id } = await desk.note(page);
    await desk.services.agent.resolve(AGENT, id);
    const watching = desk.services.watches.watch(SCOPE, options());
    await eventually(() => expect(desk.services.watches.waiting).toBe(1));
    await desk.services.agent.reply(AGENT, id, 'Anything else?');
    await desk.services.agent.dismiss(AGENT, id, 'No');
    expect(desk.services.watches.waiting).toBe(1);
    await desk.services.person.reopen(page, id);
    expect((await watching)?.annotations).toMatchObject([{ id }]);
  });

  test('of one session never returns the notes of another', async () => {
    const desk = await openDesk(await open());
    const [mine, other] = [await desk.page(), await desk.page()];
    await desk.note(other);
    const watching = desk.services.watches.watch({ ...SCOPE, sessionId: mine.id }, options());
    await eventually(() => expect(desk.services.watches.waiting).toBe(1));
    await desk.note(other);
    expect(desk.services.watches.waiting).toBe(1);
    const { id } = await desk.note(mine);
    expect((await watching)?.annotations.map((annotation) => annotation.id)).toEqual([id]);
  });

  test('loses nothing between two calls, whatever the order', async () => {
    const desk = await openDesk(await open());
    const page = await desk.page();
    const seen = new Set<string>();
    const made: string[] = [];
    // PostgreSQL takes its time for each of them.
    const rounds = engine === 'sqlite' ? 1000 : 200;
    const agent = async () => {
      while (seen.size < rounds) {
        const found = await desk.services.watches.watch(SCOPE, options({ timeoutMs: 50 }));
        for (const { id } of found?.annotations ?? []) {
          seen.add(id);
          await desk.services.agent.acknowledge(AGENT, id);
        }
      }
    };
    const person = async () => {
      for (let round = 0; round < rounds; round += 1) {
        made.push((await desk.services.person.create(page, note())).annotation.id);
        if (round % 3 === 0) await delay(0);
      }
    };
    await Promise.all([agent(), person()]);
    expect([...seen].toSorted()).toEqual(made.toSorted());
  });
});

describe('a watch whose signal is broken', () => {
  test('looks by itself', async () => {
    await using store = await scratchStore();
    const desk = await openDesk(store);
    const { id } = await desk.note();
    await desk.services.agent.resolve(AGENT, id);
    store.signal.isBroken = () => true;
    const watching = desk.services.watches.watch(SCOPE, options());
    await eventually(() => expect(desk.services.watches.waiting).toBe(1));
    // A write that no signal tells of.
    await store
      .db<AnnotationTables>()
      .updateTable('annotations')
      .set({ status: 'pending' })
      .where('id', '=', id)
      .execute();
    expect((await watching)?.annotations).toMatchObject([{ id }]);
  });
});

describe('many watches', () => {
  test('five hundred wake for one note, cost one listener, and leave nothing behind', async () => {
    await using store = await scratchStore();
    const desk = await openDesk(store);
    const page = await desk.page();
    const { changes, watches } = desk.services;
    const listenersBefore = changes.listeners;
    const all = Array.from({ length: 500 }, () => watches.watch(SCOPE, options()));
    await eventually(() => expect(watches.waiting).toBe(500));
    expect(changes.listeners).toBe(listenersBefore + 1);
    const { id } = await desk.note(page);
    for (const found of await Promise.all(all)) expect(found?.annotations[0]?.id).toBe(id);
    expect([watches.waiting, changes.listeners]).toEqual([0, listenersBefore]);
  });

  test('five hundred that are aborted leave no listener and no timer', async () => {
    await using store = await scratchStore();
    const desk = await openDesk(store);
    const { changes, watches } = desk.services;
    const listenersBefore = changes.listeners;
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const timersBefore = timers();
    const abort = new AbortController();
    const all = Array.from({ length: 500 }, () => watches.watch(SCOPE, options({ signal: abort.signal })));
    await eventually(() => expect(watches.waiting).toBe(500));
    abort.abort();
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect([watches.waiting, changes.listeners]).toEqual([0, listenersBefore]);
    expect(timers()).toBeLessThanOrEqual(timersBefore);
  });

  test('a batch window collects what comes within it', async () => {
    await using store = await scratchStore();
    const desk = await openDesk(store);
    const page = await desk.page();
    const watching = desk.services.watches.watch(SCOPE, options({ batchWindowMs: 2000 }));
    await eventually(() => expect(desk.services.watches.waiting).toBe(1));
    await desk.note(page);
    await desk.note(page);
    await desk.note(page);
    expect((await watching)?.annotations).toHaveLength(3);
  });

  test('a batch window ends with the timeout', async () => {
    await using store = await scratchStore();
    const desk = await openDesk(store);
    const page = await desk.page();
    const watching = desk.services.watches.watch(SCOPE, options({ timeoutMs: 2000, batchWindowMs: 60_000 }));
    await eventually(() => expect(desk.services.watches.waiting).toBe(1));
    await desk.note(page);
    expect((await watching)?.annotations).toHaveLength(1);
  });

  test('a timeout and a shutdown are answered alike, and a watch after the shutdown does not wait', async () => {
    await using store = await scratchStore();
    const desk = await openDesk(store);
    expect(await desk.services.watches.watch(SCOPE, options({ timeoutMs: 10 }))).toBeUndefined();
    expect(await desk.services.watches.watch(SCOPE, options({ timeoutMs: 0 }))).toBeUndefined();
    const watching = desk.services.watches.watch(SCOPE, options());
    await eventually(() => expect(desk.services.watches.waiting).toBe(1));
    await desk.services.close();
    expect(await watching).toBeUndefined();
    expect(await desk.services.watches.watch(SCOPE, options())).toBeUndefined();
  });

  test('a long list is cut, says how many there are, and shows the rest when work is taken off', async () => {
    await using store = await scratchStore();
    const desk = await openDesk(store, { limits: { listItems: 3 } });
    const page = await desk.page();
    const made = [];
    for (let count = 0; count < 5; count += 1) made.push(await desk.note(page));
    const list = await desk.services.notes.pending(SCOPE);
    expect(list).toMatchObject({ total: 5, isTruncated: true });
    expect(list.annotations.map(({ number }) => number)).toEqual([1, 2, 3]);
    for (const { id } of list.annotations) await desk.services.agent.acknowledge(AGENT, id);
    const rest = await desk.services.notes.pending(SCOPE);
    expect(rest).toMatchObject({ total: 2, isTruncated: false });
    expect(rest.annotations.map(({ number }) => number)).toEqual([4, 5]);
  });

  test('a list whose notes are large is cut too, but never to nothing', async () => {
    await using store = await scratchStore();
    const desk = await openDesk(store, { limits: { listBytes: 12_000 } });
    const page = await desk.page();
    for (let count = 0; count < 4; count += 1) await desk.note(page, { domSnapshot: 'x'.repeat(5000) });
    expect(await desk.services.notes.pending(SCOPE)).toMatchObject({ total: 4, isTruncated: true });
    const tiny = await openDesk(store, { limits: { listBytes: 1 } });
    expect((await tiny.services.notes.pending(SCOPE)).annotations).toHaveLength(1);
  });
});
