import { eventually } from '@parley/test-support/eventually';
import { describe, expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import { AGENT, DIFF, openDesk, ORGANIZATION } from '../../test/notes.ts';
import { isUnifiedDiff } from './diffs.ts';

const never = () => new AbortController().signal;

onBothEngines('a proposed diff', (open) => {
  test('is approved, and an answer given before the watch is returned at once', async () => {
    const desk = await openDesk(await open());
    const page = await desk.page();
    const { id } = await desk.note(page);
    const proposed = await desk.services.diffs.propose(AGENT, id, DIFF, 'Like this?');
    expect(proposed).toMatchObject({ status: 'diff_proposed', diff: DIFF, diffRevision: 1 });
    expect(proposed).not.toHaveProperty('diffResponse');
    await desk.services.diffs.answer(page, 'approved', { id, revision: 1 });
    const answer = await desk.services.diffs.watch(AGENT, id, { timeoutMs: 0, signal: never() });
    expect(answer).toEqual({ status: 'approved' });
  });

  test("is rejected while it is watched, and the person's words come back and stand in the thread", async () => {
    const desk = await openDesk(await open());
    const page = await desk.page();
    const { id } = await desk.note(page);
    await desk.services.diffs.propose(AGENT, id, DIFF);
    const watching = desk.services.diffs.watch(AGENT, id, { timeoutMs: 20_000, signal: never() });
    await eventually(() => expect(desk.services.changes.listeners).toBeGreaterThan(1));
    await desk.services.diffs.answer(page, 'rejected', { id, revision: 1, message: 'Darker' });
    expect(await watching).toEqual({ status: 'rejected', message: 'Darker' });
    const after = await desk.services.notes.get(ORGANIZATION, id);
    expect(after).toMatchObject({ status: 'acknowledged', diffResponse: 'rejected' });
    expect(after.replies).toMatchObject([{ author: 'user', message: 'Darker' }]);
  });

  test('is approved with the proposal when the session asked for that', async () => {
    const desk = await openDesk(await open());
    const page = await desk.page();
    await desk.services.sessions.touch(page.id, { autoApprove: true });
    const { id } = await desk.note(page);
    const proposed = await desk.services.diffs.propose(AGENT, id, DIFF);
    expect(proposed).toMatchObject({ status: 'acknowledged', diffResponse: 'approved' });
  });

  test('cannot be answered once it was replaced, and the old answer is gone', async () => {
    const desk = await openDesk(await open());
    const page = await desk.page();
    const { id } = await desk.note(page);
    await desk.services.diffs.propose(AGENT, id, DIFF);
    await desk.services.diffs.propose(AGENT, id, DIFF.replace('blue', 'navy'));
    await expect(desk.services.diffs.answer(page, 'approved', { id, revision: 1 })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(await desk.services.notes.get(ORGANIZATION, id)).toMatchObject({
      status: 'diff_proposed',
      diffRevision: 2,
    });
    await desk.services.diffs.answer(page, 'rejected', { id, revision: 2 });
    const third = await desk.services.diffs.propose(AGENT, id, DIFF);
    expect(third).toMatchObject({ diffRevision: 3, status: 'diff_proposed' });
    expect(third).not.toHaveProperty('diffResponse');
  });

  test('ends its watch with a conflict when the note is closed instead of answered', async () => {
    const desk = await openDesk(await open());
    const { id } = await desk.note();
    await expect(
      desk.services.diffs.watch(AGENT, id, { timeoutMs: 0, signal: never() }),
    ).rejects.toMatchObject({ code: 'conflict' });
    await desk.services.diffs.propose(AGENT, id, DIFF);
    const watching = desk.services.diffs.watch(AGENT, id, { timeoutMs: 20_000, signal: never() });
    const refused = watching.catch((error: unknown) => error);
    await eventually(() => expect(desk.services.changes.listeners).toBeGreaterThan(1));
    await desk.services.agent.resolve(AGENT, id);
    expect(await refused).toMatchObject({ code: 'conflict' });
    expect(desk.services.changes.listeners).toBe(1);
  });
});

describe('a unified diff', () => {
  test('has a hunk and changed lines', () => {
    expect(isUnifiedDiff(DIFF)).toBe(true);
    expect(isUnifiedDiff(`diff --git a/x b/x\nindex 1..2 100644\n${DIFF}`)).toBe(true);
    expect(isUnifiedDiff('@@ -0,0 +1 @@\n+new')).toBe(true);
    expect(isUnifiedDiff(DIFF.replaceAll('\n', '\r\n'))).toBe(true);
  });

  test.each(['', 'color: blue;', '--- a\n+++ b\n', '@@ -1 +1 @@\n same\n', '+only\n-lines'])(
    'is not %j',
    (text) => {
      expect(isUnifiedDiff(text)).toBe(false);
    },
  );
});
