import { connect } from '@parley/kit/testing';
import { scratchStore } from '@parley/store/testing';
import { describe, expect, test } from 'vitest';
import { onBothEngines } from '../../test/engines.ts';
import { AGENT, openDesk } from '../../test/notes.ts';
import type { Desk, DeskOptions } from '../../test/notes.ts';
import { annotationsToolset } from '../toolset.ts';

const agentOn = ({ services }: Desk, era: 'modern' | 'legacy' = 'modern') =>
  connect(annotationsToolset, { services, era });

/** A session with many closed notes and a few open ones, old and new. */
async function busySession(desk: Desk) {
  const page = await desk.page();
  const notes = [];
  for (let count = 0; count < 12; count += 1)
    notes.push(await desk.note(page, { domSnapshot: '<p>'.padEnd(5000, 'x') }));
  const isOpen = (number: number) => [2, 11, 12].includes(number);
  for (const { id, number } of notes) if (!isOpen(number)) await desk.services.agent.resolve(AGENT, id);
  const numberOf = new Map(notes.map(({ id, number }) => [id, number]));
  return { page, numbersOf: (shown: readonly { id: string }[]) => shown.map(({ id }) => numberOf.get(id)) };
}

const EXPECTED = [12, 11, 2, 10, 9, 8, 7, 6, 5, 4, 3, 1];

onBothEngines('a session with more notes than one answer holds', (open) => {
  test.each<[string, DeskOptions['limits'], 'lean' | 'full']>([
    ['by number, lean', { listItems: 5 }, 'lean'],
    ['by number, full', { listItems: 5 }, 'full'],
    ['by size, full', { listBytes: 12_000 }, 'full'],
  ])(
    'does not hide its newest work: open and newest first, every note once, %s',
    async (_name, limits, detail) => {
      const desk = await openDesk(await open(), { limits: limits ?? {} });
      const { page, numbersOf } = await busySession(desk);
      await using agent = await agentOn(desk);
      const seen: (number | undefined)[] = [];
      let cursor: string | undefined;
      do {
        const answer = await agent.raw.callTool({
          name: 'get_session',
          arguments: { id: page.id, detail, cursor },
        });
        const data = answer.structuredContent as {
          annotations: { id: string }[];
          more?: string;
          nextCursor?: string;
        };
        // What a model reads is the text, and it tells the same.
        expect(answer.content).toEqual([{ type: 'text', text: JSON.stringify(data) }]);
        seen.push(...numbersOf(data.annotations));
        cursor = data.nextCursor;
        const isCut = cursor !== undefined;
        expect(data.more).toEqual(
          isCut ? expect.stringMatching(/^Shown are \d+ of 12\. .*nextCursor/) : undefined,
        );
        const mark = { 'dev.parley/truncated': true, 'dev.parley/count': 12 };
        if (isCut) expect(answer._meta).toMatchObject(mark);
        else expect(answer._meta ?? {}).not.toHaveProperty(['dev.parley/truncated']);
      } while (cursor !== undefined);
      expect(seen).toEqual(EXPECTED);
    },
  );

  test('is whole in one lean answer when only its markup is large', async () => {
    const desk = await openDesk(await open(), { limits: { listBytes: 12_000 } });
    const { page, numbersOf } = await busySession(desk);
    await using agent = await agentOn(desk);
    const { annotations, more } = await agent.call('get_session', { id: page.id });
    expect([numbersOf(annotations), more]).toEqual([EXPECTED, undefined]);
  });

  test('says so in the document too, with the cursor for the tool', async () => {
    const desk = await openDesk(await open(), { limits: { listItems: 5 } });
    const { page, numbersOf } = await busySession(desk);
    await using agent = await agentOn(desk);
    const { contents } = await agent.raw.readResource({ uri: `parley://annotations/sessions/${page.id}` });
    const [content] = contents as { text: string }[];
    const { annotations, more, nextCursor } = JSON.parse(content?.text ?? '');
    expect(numbersOf(annotations)).toEqual(EXPECTED.slice(0, 5));
    expect(more).toMatch(/^Shown are 5 of 12\. /);
    const rest = await agent.call('get_session', { id: page.id, cursor: nextCursor });
    expect(numbersOf(rest.annotations)).toEqual(EXPECTED.slice(5, 10));
  });
});

describe.each(['modern', 'legacy'] as const)('in the %s era', (era) => {
  test('a list that was cut says so in a text behind the bare array', async () => {
    await using store = await scratchStore();
    const desk = await openDesk(store, { limits: { listItems: 2 } });
    const pages = [await desk.page(), await desk.page(), await desk.page()];
    for (const page of pages) await desk.note(page);
    await using agent = await agentOn(desk, era);
    for (const [name, list] of [
      ['list_sessions', 'sessions'],
      ['get_all_pending', 'annotations'],
    ] as const) {
      const { content, structuredContent, _meta } = await agent.raw.callTool({ name, arguments: {} });
      const [array, said] = content as { text: string }[];
      expect(structuredContent).toEqual({ [list]: JSON.parse(array?.text ?? ''), more: said?.text });
      expect(said?.text).toMatch(/^Shown are 2 of 3\. /);
      expect(_meta).toMatchObject({ 'dev.parley/truncated': true, 'dev.parley/count': 3 });
      for (const bare of ['truncated', 'count']) expect(_meta).not.toHaveProperty([bare]);
    }
    for (const uri of ['parley://annotations/pending', 'parley://annotations/sessions']) {
      const [content] = (await agent.raw.readResource({ uri })).contents as { text: string }[];
      expect(JSON.parse(content?.text ?? '')).toMatchObject([
        {},
        {},
        { more: expect.stringMatching(/2 of 3/) },
      ]);
    }
    const found = await agent.call('watch_annotations', {});
    expect(found.more).toMatch(/^Shown are 2 of 3\. /);
  });

  test('a list that is whole says nothing besides', async () => {
    await using store = await scratchStore();
    const desk = await openDesk(store);
    await desk.note();
    await using agent = await agentOn(desk, era);
    for (const name of ['list_sessions', 'get_all_pending']) {
      const { content, structuredContent } = await agent.raw.callTool({ name, arguments: {} });
      expect(content).toHaveLength(1);
      expect(structuredContent).not.toHaveProperty('more');
    }
  });

  test('a watch with no page says in words that none is connected, and one with a page does not', async () => {
    await using store = await scratchStore();
    let now = Date.now();
    const desk = await openDesk(store, { now: () => now });
    await using agent = await agentOn(desk, era);
    const watch = () => agent.raw.callTool({ name: 'watch_annotations', arguments: { timeoutMs: 0 } });
    const textOf = async () => JSON.stringify((await watch()).content);
    expect(await textOf()).toContain('No page is connected');
    expect((await watch())._meta).toMatchObject({ 'dev.parley/browserConnected': false });
    await desk.page();
    expect(await textOf()).not.toContain('No page');
    now += 60_000;
    expect(await textOf()).toContain('No page is connected');
  });

  test('a client hears how to work before it asks for the prompt', async () => {
    await using store = await scratchStore();
    await using agent = await agentOn(await openDesk(store), era);
    for (const name of ['get_mine', 'watch_annotations', 'acknowledge', 'resolve', 'start-polling'])
      expect(agent.raw.getInstructions()).toContain(name);
  });
});

test('a lean note has what there is, and nothing that is empty', async () => {
  await using store = await scratchStore();
  const desk = await openDesk(store);
  const page = await desk.page();
  await using agent = await agentOn(desk);
  await desk.note(page, { nearbyText: '😀'.repeat(100), intent: 'question', selectionText: 'Pay' });
  await desk.note(page, { sourceFile: 'src/App.tsx:1:2', componentName: 'Pay', nearbyText: '', element: '' });
  const { annotations } = await agent.call('get_pending', { sessionId: page.id });
  const base = {
    id: expect.any(String),
    number: expect.any(Number),
    annotationText: 'Make it blue',
    selector: '#pay',
  };
  const url = expect.any(String);
  expect(annotations).toEqual([
    {
      ...base,
      url,
      element: 'button "Pay now"',
      intent: 'question',
      selectionText: 'Pay',
      nearbyText: `${'😀'.repeat(20)}…`,
    },
    { ...base, url, sourceFile: 'src/App.tsx:1:2', componentName: 'Pay' },
  ]);
});

test('what a tool promises to answer is short', async () => {
  await using store = await scratchStore();
  await using agent = await agentOn(await openDesk(store));
  const { tools } = await agent.raw.listTools();
  const sizes = tools.map(({ outputSchema }) => JSON.stringify(outputSchema).length);
  expect(sizes.reduce((sum, size) => sum + size, 0) / sizes.length).toBeLessThanOrEqual(300);
});
