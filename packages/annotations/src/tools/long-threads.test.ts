/** Threads that are longer than an answer: nothing is hidden by them, and nothing in them is passed over. */
import { connect } from '@parley/kit/testing';
import { scratchStore } from '@parley/store/testing';
import { expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import type { Desk, DeskOptions } from '../../test/notes.ts';
import { DIFF, openDesk, ORGANIZATION, writeThread } from '../../test/notes.ts';
import { annotationsToolset } from '../toolset.ts';

const MIB = 1024 * 1024;
const LARGE = '語'.repeat(9990);

const agentOn = ({ services }: Desk, client = 'left') => connect(annotationsToolset, { services, client });

type Agent = Awaited<ReturnType<typeof agentOn>>;

onBothEngines('a note with a huge thread', (open) => {
  test.each(['lean', 'full'] as const)('does not hide the other notes from a %s list', async (detail) => {
    const store = await open();
    const desk = await openDesk(store);
    await using agent = await agentOn(desk);
    const page = await desk.page();
    // Oldest first, or newest first: the huge one is the first of both.
    const [fat, plain, fatToo] = [await desk.note(page), await desk.note(), await desk.note(page)];
    const beside = await desk.note(page, { annotationText: 'Beside it' });
    for (const { id } of [fat, fatToo])
      await writeThread(
        store,
        id,
        Array.from({ length: 330 }, () => LARGE),
      );
    const look = async (name: string, args: Record<string, unknown>, wanted: { id: string }) => {
      const answer = await agent.raw.callTool({ name, arguments: { ...args, detail } });
      const text = JSON.stringify(answer);
      expect(answer.isError ?? false, `${name}: ${text.slice(0, 200)}`).toBe(false);
      expect(Buffer.byteLength(text), name).toBeLessThan(MIB);
      for (const { id } of [fat, wanted]) expect(text, name).toContain(`"${id}"`);
      const { annotations } = answer.structuredContent as {
        annotations: { id: string; replies?: unknown[]; repliesBefore?: number }[];
      };
      const { replies = [], repliesBefore = 0 } = annotations.find(({ id }) => id === fat.id) ?? {};
      expect(replies.length + repliesBefore, name).toBe(330);
    };
    await look('get_all_pending', {}, plain);
    await look('get_pending', { sessionId: page.id }, beside);
    await look('watch_annotations', { timeoutMs: 0 }, plain);
    await look('get_session', { id: page.id }, beside);
    for (const { id } of [fat, plain, beside]) await agent.call('acknowledge', { id });
    await look('get_mine', {}, plain);
    await look('watch_annotations', { timeoutMs: 0 }, fatToo);
  });

  test('is whole in its own document while people could write it, and shows its end in lists', async () => {
    const store = await open();
    const desk = await openDesk(store);
    await using agent = await agentOn(desk);
    const { id } = await desk.note();
    const words = Array.from({ length: 200 }, (_, index) => `word ${index + 1}.`);
    await writeThread(store, id, words);
    const { contents } = await agent.raw.readResource({ uri: `parley://annotations/${id}` });
    const messages = (note: { replies: { message: string }[] }) => note.replies.map(({ message }) => message);
    expect(messages(JSON.parse((contents[0] as { text: string }).text))).toEqual(words);
    for (const [detail, shown] of [
      ['lean', 10],
      ['full', 50],
    ] as const) {
      const { annotations } = await agent.call('get_all_pending', { detail });
      expect(annotations).toMatchObject([{ id, repliesBefore: 200 - shown }]);
      expect(messages(annotations[0] as never)).toEqual(words.slice(-shown));
    }
  });
});

test('a last reply that is longer than a lean thread is shortened, and a short thread is as it was', async () => {
  await using store = await scratchStore();
  const desk = await openDesk(store);
  await using agent = await agentOn(desk);
  const [long, short] = [await desk.note(), await desk.note()];
  await writeThread(store, long.id, ['before', 'x'.repeat(9000)]);
  await writeThread(store, short.id, ['one', 'two']);
  const { annotations } = await agent.call('get_all_pending', {});
  expect(annotations).toMatchObject([
    { repliesBefore: 1, replies: [{ message: `${'x'.repeat(5000)}…` }] },
    { replies: [{ message: 'one' }, { message: 'two' }] },
  ]);
  expect(annotations[1]).not.toHaveProperty('repliesBefore');
});

const FULL: [string, DeskOptions['limits']][] = [
  ['in number', { repliesPerNote: 3 }],
  ['in characters', { threadCharacters: 'Word 1'.length * 3 }],
];

onBothEngines('a thread that is full', (open) => {
  test.each(FULL)('%s takes no more words of people or agents, but can be ended', async (_name, limits) => {
    const clock = { now: Date.now() };
    const desk = await openDesk(await open(), { limits: limits ?? {}, now: () => clock.now });
    await using agent = await agentOn(desk);
    await using other = await agentOn(desk, 'right');
    const page = await desk.page();
    const { id } = await desk.note(page);
    const say = (message: string) => desk.services.person.reply(page, { id, message });
    const thread = async () =>
      (await desk.services.notes.get(ORGANIZATION, id)).replies.map(({ message }) => message);
    for (const message of ['Word 1', 'Word 2', 'Word 3']) await say(message);
    await expect(say('Word 4')).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('Open a new note'),
    });
    const refused = {
      ok: false,
      code: 'invalid',
      message: expect.stringContaining('resolve or dismiss'),
    };
    expect(await agent.attempt('reply', { id, message: 'Word 4' })).toMatchObject(refused);
    expect(await agent.attempt('acknowledge', { id, message: 'Word 4' })).toMatchObject(refused);
    expect(await agent.attempt('propose_diff', { id, diff: DIFF, message: 'Word 4' })).toMatchObject(refused);
    expect(await desk.services.notes.get(ORGANIZATION, id)).toMatchObject({ status: 'pending' });
    expect(await thread()).toHaveLength(3);

    await agent.call('acknowledge', { id });
    await other.call('acknowledge', { id, takeover: true });
    expect((await thread()).at(-1)).toContain('Took this note over');
    clock.now += 31 * 60_000;
    await desk.services.leases.beat();
    expect((await thread()).at(-1)).toContain('pending again');

    await agent.call('acknowledge', { id });
    expect(await agent.attempt('resolve', { id, summary: 'Done' })).toMatchObject({ ok: true });
    expect((await thread()).at(-1)).toBe('Done');
    expect(await agent.attempt('resolve', { id, summary: 'Done twice' })).toMatchObject(refused);
    expect(await thread()).toHaveLength(6);
  });
});

const WAYS: [string, (agent: Agent, id: string, sessionId: string) => Promise<unknown>][] = [
  ['nothing', async () => undefined],
  ['get_mine', (agent) => agent.raw.callTool({ name: 'get_mine', arguments: {} })],
  ['get_mine in full', (agent) => agent.raw.callTool({ name: 'get_mine', arguments: { detail: 'full' } })],
  ['get_session', (agent, _, id) => agent.raw.callTool({ name: 'get_session', arguments: { id } })],
  [
    'watch_annotations',
    (agent) => agent.raw.callTool({ name: 'watch_annotations', arguments: { timeoutMs: 0 } }),
  ],
  ['reply', (agent, id) => agent.raw.callTool({ name: 'reply', arguments: { id, message: 'Hm' } })],
  ['the document', (agent, id) => agent.raw.readResource({ uri: `parley://annotations/${id}` })],
  [
    'the document of the session',
    (agent, _, id) => agent.raw.readResource({ uri: `parley://annotations/sessions/${id}` }),
  ],
];

onBothEngines('unread words in a long thread', (open) => {
  test.each(
    WAYS.flatMap(([name, look]) => [
      { name, look, size: 'short', tail: '' },
      { name, look, size: 'large', tail: LARGE.slice(100) },
    ]),
  )('are all told before the note is closed: $size ones after $name', async ({ look, tail }) => {
    const store = await open();
    const desk = await openDesk(store);
    await using agent = await agentOn(desk);
    const page = await desk.page();
    const { id } = await desk.note(page);
    await agent.call('acknowledge', { id });
    const marks = [...Array.from({ length: 129 }, (_, index) => `word ${index + 1}.`), 'STOP'];
    await writeThread(
      store,
      id,
      marks.map((mark) => (mark === 'STOP' ? mark : `${mark}${tail}`)),
    );
    let told = JSON.stringify((await look(agent, id, page.id)) ?? '');
    let isClosed = false;
    for (let tries = 0; tries < 150 && !isClosed; tries += 1) {
      const answer = await agent.attempt('resolve', { id });
      isClosed = answer.ok;
      if (!isClosed) told += JSON.stringify(answer);
    }
    expect(isClosed).toBe(true);
    expect(marks.filter((mark) => !told.includes(mark))).toEqual([]);
  });

  test('come on with every watch, so that a watch waits again when all are told', async () => {
    const store = await open();
    const desk = await openDesk(store);
    await using agent = await agentOn(desk);
    const { id } = await desk.note();
    await agent.call('acknowledge', { id });
    await writeThread(
      store,
      id,
      Array.from({ length: 60 }, (_, index) => `word ${index + 1}.`),
    );
    const answers: string[] = [];
    for (let round = 0; round < 10; round += 1) {
      const answer = await agent.call('watch_annotations', { timeoutMs: 0 });
      if (answer.status === 'timeout') break;
      answers.push(JSON.stringify(answer));
    }
    expect(answers.length).toBeLessThan(6);
    for (let number = 1; number <= 60; number += 1) expect(answers.join()).toContain(`word ${number}.`);
  });
});
