import { describe, expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import { AGENT, asAgentsSee, DIFF, note, openDesk, ORGANIZATION, STRANGER } from '../../test/notes.ts';
import type { Desk } from '../../test/notes.ts';
import type { SessionRow } from '../schema.ts';
import type { Annotation, AnnotationStatus } from '../shapes.ts';
import { STATUSES } from '../shapes.ts';

/** A note that has been brought to a status. */
async function noteIn(desk: Desk, page: SessionRow, status: AnnotationStatus): Promise<Annotation> {
  const { agent, diffs } = desk.services;
  const made = await desk.note(page);
  if (status === 'acknowledged') return agent.acknowledge(AGENT, made.id);
  if (status === 'diff_proposed') return diffs.propose(AGENT, made.id, DIFF);
  if (status === 'resolved') return agent.resolve(AGENT, made.id);
  if (status === 'dismissed') return agent.dismiss(AGENT, made.id, 'Not now');
  return made;
}

const ACTIONS = {
  acknowledge: ({ services }, _page, { id }) => services.agent.acknowledge(AGENT, id),
  propose_diff: ({ services }, _page, { id }) => services.diffs.propose(AGENT, id, DIFF),
  approve: ({ services }, page, { id, diffRevision = 1 }) =>
    services.diffs.answer(page, 'approved', { id, revision: diffRevision }),
  reject: ({ services }, page, { id, diffRevision = 1 }) =>
    services.diffs.answer(page, 'rejected', { id, revision: diffRevision }),
  resolve: ({ services }, _page, { id }) => services.agent.resolve(AGENT, id, 'Done'),
  dismiss: ({ services }, _page, { id }) => services.agent.dismiss(AGENT, id, 'Out of scope'),
  reply: ({ services }, _page, { id }) => services.agent.reply(AGENT, id, 'Which blue?'),
  reopen: ({ services }, page, { id }) => services.person.reopen(page, id),
} satisfies Record<string, (desk: Desk, page: SessionRow, made: Annotation) => Promise<Annotation>>;

type Action = keyof typeof ACTIONS;

const SAME = 'unchanged';
/** The table of the specification, row by row. */
const TABLE: Record<AnnotationStatus, Record<Action, AnnotationStatus | 'conflict' | typeof SAME>> = {
  pending: {
    acknowledge: 'acknowledged',
    propose_diff: 'diff_proposed',
    approve: 'conflict',
    reject: 'conflict',
    resolve: 'resolved',
    dismiss: 'dismissed',
    reply: SAME,
    reopen: 'conflict',
  },
  acknowledged: {
    acknowledge: 'conflict',
    propose_diff: 'diff_proposed',
    approve: 'conflict',
    reject: 'conflict',
    resolve: 'resolved',
    dismiss: 'dismissed',
    reply: SAME,
    reopen: 'pending',
  },
  diff_proposed: {
    acknowledge: 'conflict',
    propose_diff: 'diff_proposed',
    approve: 'acknowledged',
    reject: 'acknowledged',
    resolve: 'resolved',
    dismiss: 'dismissed',
    reply: SAME,
    reopen: 'pending',
  },
  resolved: {
    acknowledge: 'conflict',
    propose_diff: 'conflict',
    approve: 'conflict',
    reject: 'conflict',
    resolve: 'resolved',
    dismiss: 'dismissed',
    reply: SAME,
    reopen: 'pending',
  },
  dismissed: {
    acknowledge: 'conflict',
    propose_diff: 'conflict',
    approve: 'conflict',
    reject: 'conflict',
    resolve: 'resolved',
    dismiss: 'dismissed',
    reply: SAME,
    reopen: 'pending',
  },
};

onBothEngines('the status of an annotation', (open) => {
  describe.each(STATUSES)('from %s', (status) => {
    test('every action leads where the table says, and a refused one writes nothing', async () => {
      const desk = await openDesk(await open());
      const page = await desk.page();
      for (const [name, act] of Object.entries(ACTIONS)) {
        const before = await noteIn(desk, page, status);
        // The names above are the columns of the table.
        const expected = TABLE[status][name as Action];
        const outcome = await act(desk, page, before)
          .then(asAgentsSee)
          .catch((error: unknown) => error as { code: string });
        if (expected === 'conflict') {
          expect(outcome, name).toMatchObject({ code: 'conflict' });
          const after = await desk.services.notes.get(ORGANIZATION, before.id);
          expect(after, name).toEqual(before);
        } else {
          expect(outcome, name).toMatchObject({ status: expected === SAME ? status : expected });
          expect(await desk.services.notes.get(ORGANIZATION, before.id), name).toEqual(outcome);
        }
      }
    });
  });

  test('a conflict names the status that the annotation has', async () => {
    const desk = await openDesk(await open());
    const page = await desk.page();
    for (const status of ['acknowledged', 'diff_proposed', 'resolved', 'dismissed'] as const) {
      const { id } = await noteIn(desk, page, status);
      await expect(desk.services.agent.acknowledge(AGENT, id)).rejects.toThrow(`already ${status}`);
    }
  });

  test('fifty acknowledge at once: one wins, one reply is written', async () => {
    const desk = await openDesk(await open());
    const { id } = await desk.note();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => desk.services.agent.acknowledge(AGENT, id, `mine ${index}`)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const after = await desk.services.notes.get(ORGANIZATION, id);
    expect(after.replies).toHaveLength(1);
    expect(after.acknowledgedBy).toEqual({ name: 'Agent', source: 'key' });
  });

  test('the words of an action come back inside the annotation it returns', async () => {
    const desk = await openDesk(await open());
    const { id } = await desk.note();
    const taken = await desk.services.agent.acknowledge(AGENT, id, 'On it');
    expect(taken.replies).toMatchObject([{ author: 'agent', authorName: 'Agent', message: 'On it' }]);
    const done = await desk.services.agent.resolve(AGENT, id, 'Blue now');
    expect(done.replies.map(({ message }) => message)).toEqual(['On it', 'Blue now']);
    expect(done).toMatchObject({ status: 'resolved', resolvedBy: 'agent' });
    expect(done.resolvedAt).toBeDefined();
  });

  test('closing twice with the same words says them once, with other words twice', async () => {
    const desk = await openDesk(await open());
    const { agent } = desk.services;
    const { id } = await desk.note();
    await agent.resolve(AGENT, id, 'Done');
    expect((await agent.resolve(AGENT, id, 'Done')).replies).toHaveLength(1);
    expect((await agent.resolve(AGENT, id, 'Done better')).replies).toHaveLength(2);
    await agent.dismiss(AGENT, id, 'No');
    expect((await agent.dismiss(AGENT, id, 'No')).replies).toHaveLength(3);
  });

  test("a person's reply with reopen makes the note pending again, a plain one does not", async () => {
    const desk = await openDesk(await open());
    const page = await desk.page();
    const { id } = await noteIn(desk, page, 'resolved');
    const plain = await desk.services.person.reply(page, { id, message: 'Hm' });
    expect(plain.status).toBe('resolved');
    const again = await desk.services.person.reply(page, { id, message: 'Still red', reopen: true });
    expect(again).toMatchObject({ status: 'pending', replies: [{ author: 'user' }, { author: 'user' }] });
    expect(again).not.toHaveProperty('resolvedBy');
    expect(again).not.toHaveProperty('resolvedAt');
  });

  test('a stranger and an unknown id are answered alike, to the letter', async () => {
    const desk = await openDesk(await open());
    const page = await desk.page();
    const { id } = await desk.note(page);
    const foreignPage = await desk.page('org_stranger');
    const unknown = 'ann_01h455vb4pex5vsknk084sn02q';
    const { agent, diffs, person, notes, sessions } = desk.services;
    const attempts: ((wanted: string) => Promise<unknown>)[] = [
      (wanted) => agent.acknowledge(STRANGER, wanted),
      (wanted) => agent.resolve(STRANGER, wanted),
      (wanted) => agent.dismiss(STRANGER, wanted, 'No'),
      (wanted) => agent.reply(STRANGER, wanted, 'Hi'),
      (wanted) => diffs.propose(STRANGER, wanted, DIFF),
      (wanted) => notes.get('org_stranger', wanted),
      (wanted) => person.reply(foreignPage, { id: wanted, message: 'Hi' }),
      (wanted) => person.clear(foreignPage, [wanted]),
    ];
    for (const attempt of attempts) {
      const textOf = (wanted: string) =>
        attempt(wanted).then(
          () => 'worked',
          (error: unknown) => String(error).replace(wanted, 'ID'),
        );
      expect(await textOf(id)).toBe(await textOf(unknown));
      expect(await textOf(id)).toContain('Annotation not found: ID');
    }
    await expect(sessions.get('org_stranger', page.id)).rejects.toThrow(`Session not found: ${page.id}`);
    expect(await notes.get(ORGANIZATION, id)).toMatchObject({ status: 'pending', replies: [] });
  });
});

onBothEngines('what a person does', (open) => {
  test('a note that is sent again makes no second one, not even at the same time', async () => {
    const desk = await openDesk(await open());
    const page = await desk.page();
    const sent = note();
    const made = await Promise.all(Array.from({ length: 8 }, () => desk.services.person.create(page, sent)));
    expect(new Set(made.map(({ annotation }) => annotation.id)).size).toBe(1);
    expect(made.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect((await desk.services.notes.list({ organizationId: ORGANIZATION })).total).toBe(1);
  });

  test('pin numbers count up per session and are never used twice', async () => {
    const desk = await openDesk(await open());
    const [left, right] = [await desk.page(), await desk.page()];
    const numbers = async (page: SessionRow) => (await desk.note(page)).number;
    expect([await numbers(left), await numbers(left), await numbers(right)]).toEqual([1, 2, 1]);
    await desk.services.person.clear(left);
    expect(await numbers(left)).toBe(3);
  });

  test('a note is edited only while it is pending', async () => {
    const desk = await openDesk(await open());
    const page = await desk.page();
    const { id } = await desk.note(page);
    const edited = await desk.services.person.edit(page, {
      id,
      annotationText: 'Make it green',
      severity: 'blocking',
    });
    expect(edited).toMatchObject({ annotationText: 'Make it green', severity: 'blocking', intent: 'change' });
    await desk.services.agent.acknowledge(AGENT, id);
    await expect(desk.services.person.edit(page, { id, intent: 'fix' })).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  test('clear dismisses open notes only, all of them or those that are named', async () => {
    const desk = await openDesk(await open());
    const page = await desk.page();
    const [first, second, third] = [await desk.note(page), await desk.note(page), await desk.note(page)];
    await desk.services.agent.resolve(AGENT, third.id);
    expect(await desk.services.person.clear(page, [first.id])).toBe(1);
    expect(await desk.services.person.clear(page)).toBe(1);
    expect(await desk.services.notes.get(ORGANIZATION, second.id)).toMatchObject({
      status: 'dismissed',
      resolvedBy: 'user',
    });
    expect(await desk.services.notes.get(ORGANIZATION, third.id)).toMatchObject({ resolvedBy: 'agent' });
  });

  test('a session has a most of open notes, and closed ones do not count', async () => {
    const desk = await openDesk(await open(), { limits: { openNotesPerSession: 2 } });
    const page = await desk.page();
    const { id } = await desk.note(page);
    await desk.note(page);
    await expect(desk.note(page)).rejects.toMatchObject({ code: 'invalid' });
    await desk.services.agent.resolve(AGENT, id);
    expect((await desk.note(page)).number).toBe(3);
  });
});
