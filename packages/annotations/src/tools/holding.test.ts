import { connect } from '@parley/kit/testing';
import type { Caller } from '@parley/kit';
import { createChangeBus } from '@parley/kit';
import { scratchStore } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import type { Desk } from '../../test/notes.ts';
import { DIFF, openDesk, ORGANIZATION } from '../../test/notes.ts';
import type { SessionRow } from '../schema.ts';
import { annotationSettings } from '../settings.ts';
import { annotationsToolset } from '../toolset.ts';

const MINUTE_MS = 60_000;

interface Who {
  readonly client?: string;
  readonly era?: 'modern' | 'legacy';
  readonly as?: Partial<Caller>;
}

/** An agent with a client of its own. */
const agentOn = (desk: Desk, who: Who = {}) =>
  connect(annotationsToolset, { services: desk.services, client: 'left', ...who });

type Agent = Awaited<ReturnType<typeof agentOn>>;

const noteOf = (desk: Desk, id: string) => desk.services.notes.get(ORGANIZATION, id);

const idsOf = ({ annotations }: { annotations?: readonly { id: string }[] | undefined }) =>
  (annotations ?? []).map(({ id }) => id);

async function conflictOf(work: Promise<unknown>): Promise<string> {
  const outcome = await work;
  expect(outcome).toMatchObject({ ok: false, code: 'conflict' });
  return (outcome as { message: string }).message;
}

const CLOSINGS: [string, (agent: Agent, id: string) => Promise<unknown>][] = [
  ['resolve', (agent, id) => agent.attempt('resolve', { id, summary: 'Red now' })],
  ['dismiss', (agent, id) => agent.attempt('dismiss', { id, reason: 'Not now' })],
];

/** Two processes on one store, whose clock the test moves. */
async function scene(open: () => Promise<Parameters<typeof openDesk>[0]>) {
  const clock = { now: Date.now() };
  const now = () => clock.now;
  const here = await openDesk(await open(), { now });
  const there = await openDesk(await open(), { now });
  const page = await here.page();
  return { clock, here, there, page };
}

onBothEngines('an agent that goes away', (open) => {
  test('leaves a note that is pending again once its lease has run out, with one word in the thread', async () => {
    const { clock, here, there, page } = await scene(open);
    await using agent = await agentOn(here, { client: 'claude-code' });
    await using other = await agentOn(there, { client: 'cursor' });
    const { id } = await here.note(page);
    await agent.call('acknowledge', { id });
    clock.now += 30 * MINUTE_MS - 1;
    expect(idsOf(await other.call('get_all_pending', {}))).toEqual([]);
    clock.now += 1;
    await Promise.all([
      here.services.leases.beat(),
      there.services.leases.beat(),
      other.call('get_all_pending', {}),
      here.services.notes.pending({ organizationId: ORGANIZATION }),
    ]);
    expect(idsOf(await other.call('get_all_pending', {}))).toEqual([id]);
    const after = await noteOf(here, id);
    expect(after.replies).toMatchObject([
      { authorName: 'Parley', message: expect.stringMatching(/^claude-code .* pending again\.$/) },
    ]);
    expect(after).not.toHaveProperty('acknowledgedBy');
    expect(await other.call('acknowledge', { id })).toMatchObject({ status: 'acknowledged' });
    expect([...here.faults, ...there.faults]).toEqual([]);
  });

  test('keeps its notes as long as any call of it comes', async () => {
    const { clock, here, page } = await scene(open);
    await using agent = await agentOn(here);
    await using other = await agentOn(here, { client: 'right' });
    const { id } = await here.note(page);
    await agent.call('acknowledge', { id });
    for (const call of ['list_sessions', 'get_mine', 'get_all_pending'] as const) {
      clock.now += 29 * MINUTE_MS;
      await agent.call(call, {});
    }
    clock.now += 29 * MINUTE_MS;
    await agent.call('watch_annotations', { timeoutMs: 0 });
    clock.now += 29 * MINUTE_MS;
    await other.call('list_sessions', {});
    expect((await noteOf(here, id)).status).toBe('acknowledged');
    clock.now += MINUTE_MS;
    expect(idsOf(await other.call('get_all_pending', {}))).toEqual([id]);
  });

  test('keeps a note that waits for the answer to its diff, and loses it when it stops asking', async () => {
    const { clock, here, page } = await scene(open);
    await using agent = await agentOn(here);
    const { id } = await here.note(page);
    await agent.call('propose_diff', { id, diff: DIFF });
    for (let round = 0; round < 3; round += 1) {
      clock.now += 29 * MINUTE_MS;
      await here.services.leases.beat();
      expect(await agent.call('watch_diff_response', { id, timeoutMs: 0 })).toEqual({ status: 'timeout' });
    }
    clock.now += 30 * MINUTE_MS;
    await here.services.leases.beat();
    expect(await noteOf(here, id)).toMatchObject({ status: 'pending' });
    expect(await noteOf(here, id)).not.toHaveProperty('diff');
  });

  test('lets its notes go at once when its session ends, and holds them while it lives', async () => {
    const { clock, here, there, page } = await scene(open);
    const agent = await agentOn(here, { era: 'legacy', client: 'claude-code' });
    await using other = await agentOn(there);
    const [first, second, done] = [await here.note(page), await here.note(page), await here.note(page)];
    await agent.call('acknowledge', { id: first.id });
    await agent.call('propose_diff', { id: second.id, diff: DIFF });
    await agent.call('acknowledge', { id: done.id });
    await agent.call('resolve', { id: done.id });
    for (let round = 0; round < 4; round += 1) {
      clock.now += 29 * MINUTE_MS;
      await here.services.leases.beat();
      await there.services.leases.beat();
    }
    expect(idsOf(await other.call('get_all_pending', {}))).toEqual([]);
    await agent.close();
    expect(idsOf(await other.call('get_all_pending', {}))).toEqual([first.id, second.id]);
    for (const { id } of [first, second]) {
      const { replies } = await noteOf(there, id);
      expect(replies.map(({ message }) => message)).toEqual([
        'claude-code has gone. This note is pending again.',
      ]);
    }
    expect((await noteOf(there, done.id)).replies).toEqual([]);
  });

  test('loses a lapsed note to exactly one of those who want it, and the word stands once', async () => {
    const { clock, here, there, page } = await scene(open);
    await using agent = await agentOn(here);
    const { id } = await here.note(page);
    await agent.call('acknowledge', { id });
    clock.now += 30 * MINUTE_MS;
    const racers = await Promise.all(
      [here, there, here, there].map((desk, index) => agentOn(desk, { client: `racer-${index}` })),
    );
    const outcomes = await Promise.all(racers.map((racer) => racer.attempt('acknowledge', { id })));
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    expect(outcomes.filter((outcome) => !outcome.ok && outcome.code === 'conflict')).toHaveLength(3);
    expect((await noteOf(here, id)).replies).toHaveLength(1);
    for (const racer of racers) await racer.close();
  });
});

test('a lease is as long as the program that serves the toolset says, and half an hour by default', async () => {
  await using store = await scratchStore();
  const host = {
    store,
    identity: { firstOrganizationId: async () => ORGANIZATION },
    events: { publishAll: async () => [] },
    names: { hosts: [], origins: [] },
    web: { publicUrl: undefined, trustedProxies: [] },
    changes: createChangeBus(),
    observe: () => undefined,
    onStop: () => undefined,
    onFault: () => undefined,
  };
  const byDefault = Number(annotationSettings.noteLease.fallback);
  for (const [noteLease, expected] of [
    [byDefault, 30 * MINUTE_MS],
    [2, 2 * MINUTE_MS],
  ] as const) {
    const services = annotationsToolset.services?.({ ...host, settings: { noteLease } });
    expect(services?.limits.noteLeaseMs).toBe(expected);
    await services?.close();
  }
});

onBothEngines('a note that an agent holds', (open) => {
  test('cannot be closed or changed by another agent, and can be after a takeover that the thread tells of', async () => {
    const { here, there, page } = await scene(open);
    await using holder = await agentOn(here, { client: 'claude-code' });
    await using other = await agentOn(there, { client: 'cursor' });
    const { id } = await here.note(page);
    await holder.call('acknowledge', { id });
    for (const attempt of [
      other.attempt('resolve', { id, summary: 'Mine' }),
      other.attempt('dismiss', { id, reason: 'No' }),
      other.attempt('propose_diff', { id, diff: DIFF }),
    ])
      expect(await conflictOf(attempt)).toMatch(/^claude-code holds .*takeover: true/);
    expect(await conflictOf(other.attempt('acknowledge', { id }))).toMatch(
      /already acknowledged by claude-code/,
    );
    expect(await noteOf(here, id)).toMatchObject({ status: 'acknowledged', replies: [] });
    expect(idsOf(await other.call('get_mine', {}))).toEqual([]);

    await other.call('acknowledge', { id, takeover: true, message: 'Going on' });
    expect(await noteOf(here, id)).toMatchObject({
      status: 'acknowledged',
      acknowledgedBy: { name: 'cursor' },
      replies: [
        { authorName: 'cursor', message: 'Took this note over from claude-code.' },
        { authorName: 'cursor', message: 'Going on' },
      ],
    });
    expect(await conflictOf(holder.attempt('resolve', { id }))).toContain('cursor holds');
    expect(idsOf(await holder.call('get_mine', {}))).toEqual([]);
    expect(idsOf(await other.call('get_mine', {}))).toEqual([id]);
    expect(await other.call('resolve', { id })).toMatchObject({ status: 'resolved' });
    expect(idsOf(await other.call('get_mine', {}))).toEqual([]);
  });

  test.each<[string, Who, Who]>([
    ['two keys', { as: { id: 'caller_one' } }, { as: { id: 'caller_two' } }],
    ['two clients of one key', { client: 'one' }, { client: 'two' }],
    ['two sessions of one client', { era: 'legacy' }, { era: 'legacy' }],
    ['a session and none', { era: 'legacy' }, { era: 'modern' }],
  ])('is not taken for that of another: %s', async (_name, left, right) => {
    const { here, page } = await scene(open);
    await using holder = await agentOn(here, left);
    await using other = await agentOn(here, right);
    const { id } = await here.note(page);
    await holder.call('acknowledge', { id });
    await conflictOf(other.attempt('resolve', { id }));
    expect(await holder.call('resolve', { id })).toMatchObject({ status: 'resolved' });
  });

  test('is listed as elsewhere for the same key and client on another connection, which can take it over', async () => {
    const { here, page } = await scene(open);
    await using before = await agentOn(here, { era: 'legacy' });
    const { id } = await here.note(page);
    await before.call('acknowledge', { id });
    await using after = await agentOn(here, { era: 'legacy' });
    expect((await before.call('get_mine', {})).annotations[0]).not.toHaveProperty('elsewhere');
    expect((await after.call('get_mine', {})).annotations).toMatchObject([{ id, elsewhere: true }]);
    await after.call('acknowledge', { id, takeover: true });
    expect((await after.call('get_mine', {})).annotations[0]).not.toHaveProperty('elsewhere');
  });

  test('keeps its proposal when it is taken over, and the answer reaches the new holder', async () => {
    const { here, page } = await scene(open);
    await using holder = await agentOn(here);
    await using other = await agentOn(here, { client: 'right' });
    const { id } = await here.note(page);
    await holder.call('propose_diff', { id, diff: DIFF });
    expect(await other.call('acknowledge', { id, takeover: true })).toMatchObject({
      status: 'diff_proposed',
    });
    await here.services.diffs.answer(page, 'rejected', { id, revision: 1, message: 'Darker' });
    const answer = { status: 'rejected', message: 'Darker' };
    expect(await other.call('watch_diff_response', { id })).toEqual(answer);
    expect(await other.call('resolve', { id })).toMatchObject({ status: 'resolved' });
  });

  test.each(CLOSINGS)(
    'does not stand in the way of others: a pending one may be closed by anybody, %s',
    async (_name, close) => {
      const { here, page } = await scene(open);
      await using agent = await agentOn(here);
      const { id } = await here.note(page);
      expect(await close(agent, id)).toMatchObject({ ok: true });
    },
  );

  test('says the name of the client, not of the key', async () => {
    const { here, page } = await scene(open);
    for (const era of ['modern', 'legacy'] as const) {
      await using agent = await agentOn(here, { era, client: 'claude-code', as: { name: 'Owner key' } });
      const { id } = await here.note(page);
      await agent.call('acknowledge', { id, message: 'On it' });
      const note = await noteOf(here, id);
      expect(note).toMatchObject({
        acknowledgedBy: { name: 'claude-code' },
        replies: [{ authorName: 'claude-code', message: 'On it' }],
      });
      expect(JSON.stringify(note)).not.toContain('Owner key');
    }
  });
});

onBothEngines("a person's words to a held note", (open) => {
  async function held(desk: Desk, page: SessionRow, agent: Agent): Promise<string> {
    const { id } = await desk.note(page);
    await agent.call('acknowledge', { id });
    return id;
  }
  const say = (desk: Desk, page: SessionRow, id: string, message: string, reopen = false) =>
    desk.services.person.reply(page, { id, message, reopen });

  test('wake the watch of its holder, also from another process, once, and nobody else', async () => {
    const { here, there, page } = await scene(open);
    await using holder = await agentOn(here);
    await using other = await agentOn(here, { client: 'right' });
    const id = await held(here, page, holder);
    const { watches } = here.services;
    for (const [desk, words] of [
      [here, 'Sorry, blue'],
      [there, 'No, green'],
    ] as const) {
      const [mine, theirs] = [
        holder.call('watch_annotations', { timeoutMs: 60_000 }),
        other.call('watch_annotations', { timeoutMs: 60_000 }),
      ];
      await eventually(() => expect(watches.waiting).toBe(2));
      await say(desk, page, id, words);
      expect((await mine).annotations).toMatchObject([
        { id, status: 'acknowledged', replies: expect.arrayContaining([{ author: 'user', message: words }]) },
      ]);
      expect(await holder.call('watch_annotations', { timeoutMs: 0 })).toMatchObject({ status: 'timeout' });
      expect(watches.waiting).toBe(1);
      const fresh = await here.note(page);
      expect(idsOf(await theirs)).toEqual([fresh.id]);
      await other.call('resolve', { id: fresh.id });
    }
    expect(await holder.call('resolve', { id })).toMatchObject({ status: 'resolved' });
  });

  test('wake a watch of their session only', async () => {
    const { here, page } = await scene(open);
    await using holder = await agentOn(here);
    const id = await held(here, page, holder);
    const elsewhere = await here.page();
    await say(here, page, id, 'Sorry, blue');
    const watch = (sessionId: string) => holder.call('watch_annotations', { sessionId, timeoutMs: 0 });
    expect(await watch(elsewhere.id)).toMatchObject({ status: 'timeout' });
    expect(idsOf(await watch(page.id))).toEqual([id]);
  });

  test.each(CLOSINGS)(
    'are not passed over by %s: the first try tells them, the next goes through',
    async (_name, close) => {
      const { here, page } = await scene(open);
      await using holder = await agentOn(here);
      const id = await held(here, page, holder);
      await say(here, page, id, 'Sorry, blue');
      await say(here, page, id, 'And "bold"');
      const words = ['Sorry, blue', 'And "bold"'];
      const told = await close(holder, id);
      expect(told).toMatchObject({ ok: false, code: 'conflict', data: { words } });
      expect(JSON.stringify(told)).toContain('Sorry, blue');
      expect(await noteOf(here, id)).toMatchObject({ status: 'acknowledged' });
      expect(await close(holder, id)).toMatchObject({ ok: true });
    },
  );

  test('that do not fit into one error come with the next, and none is passed over', async () => {
    const { here, page } = await scene(open);
    await using holder = await agentOn(here);
    const id = await held(here, page, holder);
    const words = ['a', 'b', 'c'].map((letter) => letter.repeat(1000));
    for (const one of words) await say(here, page, id, one);
    const told: string[] = [];
    for (let tries = 0; tries < 5; tries += 1) {
      const answer = await holder.attempt('resolve', { id, summary: 'Done' });
      if (answer.ok) break;
      expect(answer.message.length).toBeLessThanOrEqual(2000);
      told.push(...words.filter((one) => answer.message.includes(one)));
    }
    expect(told).toEqual(words);
  });

  test('are told by every answer that shows them, and then no conflict comes', async () => {
    const { here, page } = await scene(open);
    await using holder = await agentOn(here);
    const shows: [string, (id: string) => Promise<unknown>][] = [
      ['get_mine', () => holder.call('get_mine', {})],
      ['get_session', () => holder.call('get_session', { id: page.id })],
      ['watch_annotations', () => holder.call('watch_annotations', { timeoutMs: 0 })],
      ['reply', (id) => holder.call('reply', { id, message: 'Which blue?' })],
      ['propose_diff', (id) => holder.call('propose_diff', { id, diff: DIFF })],
      ['the document', (id) => holder.raw.readResource({ uri: `parley://annotations/${id}` })],
    ];
    for (const [name, show] of shows) {
      const id = await held(here, page, holder);
      await say(here, page, id, 'Sorry, blue');
      expect(JSON.stringify(await show(id)), name).toContain('Sorry, blue');
      expect(await holder.attempt('resolve', { id }), name).toMatchObject({ ok: true });
    }
  });

  test('that came before the note was taken up come with the acknowledgement, as does a changed instruction', async () => {
    const { here, page } = await scene(open);
    await using agent = await agentOn(here);
    const { id } = await here.note(page);
    await say(here, page, id, 'Only on phones');
    await here.services.person.edit(page, { id, annotationText: 'Make it green' });
    const taken = await agent.call('acknowledge', { id });
    expect(taken).toMatchObject({ words: ['Only on phones'], annotationText: 'Make it green' });
    expect(await agent.attempt('resolve', { id })).toMatchObject({ ok: true });
    const plain = await here.note(page);
    expect(Object.keys(await agent.call('acknowledge', { id: plain.id }))).toEqual(['id', 'status']);
  });

  test('that reopen the note are not passed over by the agent that had it', async () => {
    const { here, page } = await scene(open);
    await using first = await agentOn(here);
    await using second = await agentOn(here, { client: 'right' });
    const id = await held(here, page, first);
    await say(here, page, id, 'Sorry, blue', true);
    expect(await conflictOf(first.attempt('resolve', { id, summary: 'Red now' }))).toContain('Sorry, blue');
    expect(await noteOf(here, id)).toMatchObject({ status: 'pending' });
    expect(await second.call('acknowledge', { id })).toMatchObject({ words: ['Sorry, blue'] });
    expect(await conflictOf(first.attempt('resolve', { id, summary: 'Red now' }))).toContain('right holds');
  });

  test('of one holder are no news for the next: a takeover tells them again', async () => {
    const { here, page } = await scene(open);
    await using holder = await agentOn(here);
    await using other = await agentOn(here, { client: 'right' });
    const id = await held(here, page, holder);
    await say(here, page, id, 'Sorry, blue');
    await holder.call('get_mine', {});
    expect(await other.call('acknowledge', { id, takeover: true })).toMatchObject({ words: ['Sorry, blue'] });
  });
});
