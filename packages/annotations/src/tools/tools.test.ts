import { connect, scenarios } from '@parley/kit/testing';
import type { Scenario } from '@parley/kit/testing';
import { scratchStore } from '@parley/store/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Desk } from '../../test/notes.ts';
import { AGENT, DIFF, openDesk, ORGANIZATION } from '../../test/notes.ts';
import { annotationsToolset } from '../toolset.ts';

const UNKNOWN_NOTE = 'ann_01h455vb4pex5vsknk084sn02q';
const UNKNOWN_SESSION = 'ses_01h455vb4pex5vsknk084sn02q';

let store: Awaited<ReturnType<typeof scratchStore>>;
let desk: Desk;
let ids: { note: string; session: string; foreignNote: string; foreignSession: string };

beforeAll(async () => {
  store = await scratchStore();
  desk = await openDesk(store, { limits: { sessionsPerPageToken: 10_000 } });
});
afterAll(async () => {
  await desk.services.close();
  await store[Symbol.asyncDispose]();
});

/** A fresh page with one pending note, and a stranger's; everything older is closed. */
beforeEach(async () => {
  const { annotations } = await desk.services.notes.pending({ organizationId: ORGANIZATION });
  for (const { id } of annotations) await desk.services.agent.resolve(AGENT, id);
  const page = await desk.page();
  const foreignPage = await desk.page('org_stranger');
  ids = {
    note: (await desk.note(page, { annotationText: 'Make it blue' })).id,
    session: page.id,
    foreignNote: (await desk.note(foreignPage, { annotationText: 'A secret of strangers' })).id,
    foreignSession: foreignPage.id,
  };
});

function table(rows: readonly Scenario[]): void {
  scenarios({ test, expect }, annotationsToolset, () => ({ services: desk.services }), rows);
}

const STRANGERS = ['A secret of strangers'];

describe('looking', () => {
  table([
    {
      name: 'list_sessions shows own sessions as a bare array in text',
      call: () => ['list_sessions', {}],
      shows: ['"text":"[{', 'Cart'],
      hides: ['org_stranger', 'parley_', 'token'],
      records: { ok: 1 },
    },
    {
      name: 'get_session shows the session with its notes',
      call: () => ['get_session', { id: ids.session }],
      gives: {
        session: { active: true, framework: 'react' },
        annotations: [{ annotationText: 'Make it blue' }],
      },
      hides: [...STRANGERS, 'domSnapshot', 'boundingBox'],
    },
    {
      name: 'get_session of an unknown session says so',
      call: () => ['get_session', { id: UNKNOWN_SESSION }],
      fails: 'not_found',
      shows: [`Error: Session not found: ${UNKNOWN_SESSION}`],
    },
    {
      name: "get_session of a stranger's session is answered like an unknown one",
      call: () => ['get_session', { id: ids.foreignSession }],
      fails: 'not_found',
      shows: ['Error: Session not found: '],
      hides: STRANGERS,
    },
    {
      name: 'get_pending shows pending notes as a bare array in text',
      call: () => ['get_pending', { sessionId: ids.session }],
      gives: { annotations: [{ annotationText: 'Make it blue', selector: '#pay' }] },
      shows: ['"text":"[{'],
      hides: [...STRANGERS, 'domSnapshot', 'replies'],
    },
    {
      name: 'get_pending in full has everything that was captured',
      call: () => ['get_pending', { sessionId: ids.session, detail: 'full' }],
      gives: { annotations: [{ number: 1, domSnapshot: expect.any(String), replies: [] }] },
      hides: STRANGERS,
    },
    {
      name: 'a detail that does not exist is refused',
      call: () => ['get_all_pending', { detail: 'some' }],
      fails: 'invalid',
      shows: ['detail'],
    },
    {
      name: 'get_session refuses a cursor of somewhere else',
      call: () => ['get_session', { id: ids.session, cursor: 'o1; DROP' }],
      fails: 'invalid',
      shows: ['cursor: use the nextCursor of the page before'],
    },
    {
      name: 'get_mine is empty for whoever has taken nothing up',
      call: () => ['get_mine', {}],
      gives: { annotations: [] },
      shows: ['"text":"[]"'],
    },
    {
      name: 'get_mine is unknown without its grant',
      as: { grants: { annotations: ['get_pending'] } },
      call: () => ['get_mine', {}],
      unknown: true,
    },
    {
      name: 'get_pending of an unknown session says so',
      call: () => ['get_pending', { sessionId: UNKNOWN_SESSION }],
      fails: 'not_found',
    },
    {
      name: 'get_pending names the field that is missing',
      call: () => ['get_pending', {}],
      fails: 'invalid',
      shows: ['sessionId: is required'],
    },
    {
      name: 'get_all_pending shows what is pending and nothing of strangers',
      call: () => ['get_all_pending', {}],
      gives: { annotations: [{ annotationText: 'Make it blue' }] },
      hides: STRANGERS,
    },
    {
      name: 'a tool is unknown without its grant',
      as: { grants: { annotations: ['list_sessions'] } },
      call: () => ['get_all_pending', {}],
      unknown: true,
      records: { denied: 1 },
    },
  ]);
});

describe('acting', () => {
  table([
    {
      name: 'acknowledge with a message returns the reply inside',
      call: () => ['acknowledge', { id: ids.note, message: 'On it' }],
      gives: { status: 'acknowledged', reply: { author: 'agent', message: 'On it' } },
      hides: ['annotationText', 'selector'],
    },
    {
      name: 'acknowledge of a pending note needs no takeover, and allows it',
      call: () => ['acknowledge', { id: ids.note, takeover: true }],
      gives: { status: 'acknowledged' },
      hides: ['Took this note over'],
    },
    {
      name: "acknowledge of a stranger's note with takeover is answered like an unknown one",
      call: () => ['acknowledge', { id: ids.foreignNote, takeover: true }],
      fails: 'not_found',
      hides: STRANGERS,
    },
    {
      name: 'acknowledge of an unknown note says so',
      call: () => ['acknowledge', { id: UNKNOWN_NOTE }],
      fails: 'not_found',
      shows: [`Error: Annotation not found: ${UNKNOWN_NOTE}`],
    },
    {
      name: "acknowledge of a stranger's note is answered like an unknown one",
      call: () => ['acknowledge', { id: ids.foreignNote }],
      fails: 'not_found',
      hides: STRANGERS,
    },
    {
      name: 'resolve stores the summary as a reply',
      call: () => ['resolve', { id: ids.note, summary: 'Blue now' }],
      gives: { id: expect.any(String), status: 'resolved', reply: { message: 'Blue now' } },
      hides: ['annotationText'],
    },
    {
      name: 'resolve needs no summary',
      call: () => ['resolve', { id: ids.note }],
      gives: { status: 'resolved' },
      hides: ['"reply"'],
    },
    {
      name: 'resolve of an unknown note says so',
      call: () => ['resolve', { id: UNKNOWN_NOTE }],
      fails: 'not_found',
    },
    {
      name: 'dismiss stores the reason as a reply',
      call: () => ['dismiss', { id: ids.note, reason: 'Out of scope' }],
      gives: { status: 'dismissed', reply: { message: 'Out of scope' } },
    },
    {
      name: 'dismiss without a reason names the field',
      call: () => ['dismiss', { id: ids.note, reason: '' }],
      fails: 'invalid',
      shows: ['reason: must not be blank'],
    },
    {
      name: 'dismiss with a blank reason is refused',
      call: () => ['dismiss', { id: ids.note, reason: '  ' }],
      fails: 'invalid',
    },
    {
      name: 'dismiss of an unknown note says so',
      call: () => ['dismiss', { id: UNKNOWN_NOTE, reason: 'No' }],
      fails: 'not_found',
    },
    {
      name: 'reply leaves the status',
      call: () => ['reply', { id: ids.note, message: 'Which blue?' }],
      gives: { status: 'pending', reply: { author: 'agent', message: 'Which blue?' } },
    },
    {
      name: 'reply with a blank message is refused',
      call: () => ['reply', { id: ids.note, message: '\n' }],
      fails: 'invalid',
      shows: ['message: must not be blank'],
    },
    {
      name: 'reply to an unknown note says so',
      call: () => ['reply', { id: UNKNOWN_NOTE, message: 'Hi' }],
      fails: 'not_found',
    },
  ]);
});

describe('watching and diffs', () => {
  table([
    {
      name: 'watch_annotations returns what is pending',
      call: () => ['watch_annotations', { sessionId: ids.session }],
      gives: { status: 'annotations', annotations: [{ annotationText: 'Make it blue' }] },
      hides: STRANGERS,
    },
    {
      name: 'watch_annotations of an unknown session says so',
      call: () => ['watch_annotations', { sessionId: UNKNOWN_SESSION, timeoutMs: 0 }],
      fails: 'not_found',
    },
    {
      name: "watch_annotations of a stranger's session is answered like an unknown one",
      call: () => ['watch_annotations', { sessionId: ids.foreignSession, timeoutMs: 0 }],
      fails: 'not_found',
      shows: ['Error: Session not found: '],
      hides: STRANGERS,
    },
    {
      name: 'watch_annotations refuses a time that is too long',
      call: () => ['watch_annotations', { timeoutMs: 300_001 }],
      fails: 'invalid',
      shows: ['timeoutMs: must be at most 300000'],
    },
    {
      name: 'propose_diff shows the diff to the person',
      call: () => ['propose_diff', { id: ids.note, diff: DIFF, message: 'Like this?' }],
      gives: { status: 'diff_proposed', diffRevision: 1, reply: { message: 'Like this?' } },
      hides: ['color: blue'],
    },
    {
      name: 'propose_diff refuses what is no unified diff',
      call: () => ['propose_diff', { id: ids.note, diff: 'color: blue' }],
      fails: 'invalid',
      shows: ['diff: must be a unified diff'],
    },
    {
      name: 'propose_diff for an unknown note says so',
      call: () => ['propose_diff', { id: UNKNOWN_NOTE, diff: DIFF }],
      fails: 'not_found',
    },
    {
      name: 'watch_diff_response without a diff is a conflict',
      call: () => ['watch_diff_response', { id: ids.note }],
      fails: 'conflict',
    },
    {
      name: 'watch_diff_response of an unknown note says so',
      call: () => ['watch_diff_response', { id: UNKNOWN_NOTE }],
      fails: 'not_found',
    },
  ]);
});

describe.each(['modern', 'legacy'] as const)('in the %s era', (era) => {
  const client = () => connect(annotationsToolset, { services: desk.services, era });

  test('exactly twelve tools are there, each field of their input is described', async () => {
    await using agent = await client();
    const { tools } = await agent.raw.listTools();
    const shown = tools.map(({ name, annotations }) => [
      name,
      annotations?.readOnlyHint,
      annotations?.idempotentHint,
      annotations?.destructiveHint,
    ]);
    expect(shown).toEqual([
      ['acknowledge', false, false, false],
      ['dismiss', false, true, false],
      ['get_all_pending', true, true, false],
      ['get_mine', true, true, false],
      ['get_pending', true, true, false],
      ['get_session', true, true, false],
      ['list_sessions', true, true, false],
      ['propose_diff', false, true, false],
      ['reply', false, false, false],
      ['resolve', false, true, false],
      ['watch_annotations', true, true, false],
      ['watch_diff_response', true, true, false],
    ]);
    for (const { name, inputSchema } of tools) {
      for (const [field, schema] of Object.entries(inputSchema.properties ?? {}))
        expect(schema, `${name}.${field}`).toHaveProperty('description');
    }
  });

  test('a second acknowledge and one on a closed note name the status', async () => {
    await using agent = await client();
    await agent.call('acknowledge', { id: ids.note });
    const second = await agent.attempt('acknowledge', { id: ids.note });
    expect(second).toMatchObject({ ok: false, code: 'conflict' });
    expect(JSON.stringify(second)).toContain('already acknowledged');
    await agent.call('resolve', { id: ids.note });
    expect(await agent.attempt('propose_diff', { id: ids.note, diff: DIFF })).toMatchObject({
      code: 'conflict',
    });
    expect(JSON.stringify(await agent.attempt('acknowledge', { id: ids.note }))).toContain(
      'already resolved',
    );
  });

  test('a timeout has exactly one field, and _meta tells whether a page is open', async () => {
    await using agent = await client();
    await agent.call('resolve', { id: ids.note });
    const answer = await agent.raw.callTool({ name: 'watch_annotations', arguments: { timeoutMs: 20 } });
    expect(answer.structuredContent).toEqual({ status: 'timeout' });
    expect(answer.content).toEqual([{ type: 'text', text: '{"status":"timeout"}' }]);
    expect(answer._meta).toMatchObject({ 'dev.parley/browserConnected': true });
    expect(answer._meta?.['dev.parley/activeSessions']).toBeGreaterThan(0);
  });

  test('an answer to a diff is returned with the words of the person', async () => {
    await using agent = await client();
    await agent.call('propose_diff', { id: ids.note, diff: DIFF });
    expect(await agent.call('watch_diff_response', { id: ids.note, timeoutMs: 0 })).toEqual({
      status: 'timeout',
    });
    const page = { id: ids.session, organization_id: ORGANIZATION };
    await desk.services.diffs.answer(page, 'rejected', { id: ids.note, revision: 1, message: 'Darker' });
    expect(await agent.call('watch_diff_response', { id: ids.note })).toEqual({
      status: 'rejected',
      message: 'Darker',
    });
  });

  test('documents are read by URI, and an unknown one is a protocol fault that names it', async () => {
    await using agent = await client();
    const read = async (uri: string) => (await agent.raw.readResource({ uri })).contents[0];
    const base = 'parley://annotations';
    const textOf = async (path: string) => {
      const content = await read(`${base}/${path}`);
      return content !== undefined && 'text' in content ? content.text : '';
    };
    expect(JSON.parse(await textOf('sessions'))).toContainEqual(expect.objectContaining({ id: ids.session }));
    expect(JSON.parse(await textOf(`sessions/${ids.session}`))).toMatchObject({
      annotations: [{ id: ids.note }],
    });
    expect(JSON.parse(await textOf('pending'))).toMatchObject([{ id: ids.note }]);
    expect(JSON.parse(await textOf(ids.note))).toMatchObject({ id: ids.note, replies: [] });
    expect(await textOf(`${ids.note}/markdown`)).toContain('# Annotations: /cart');
    for (const path of [
      UNKNOWN_NOTE,
      ids.foreignNote,
      `${ids.note}/screenshot`,
      `sessions/${ids.foreignSession}`,
    ]) {
      const uri = `${base}/${path}`;
      await expect(read(uri), path).rejects.toMatchObject({ code: -32602, data: { uri } });
    }
  });

  test('a screenshot is read as a picture, and lists hold its description only', async () => {
    await using agent = await client();
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const page = await desk.page();
    const screenshot = await desk.services.screenshots.add(page, png, 'image/png');
    const { id } = await desk.note(page, { screenshotId: screenshot.id });
    const uri = `parley://annotations/${id}/screenshot`;
    const { contents } = await agent.raw.readResource({ uri });
    expect(contents).toEqual([{ uri, mimeType: 'image/png', blob: png.toString('base64') }]);
    const listed = await agent.call('get_pending', { sessionId: page.id });
    expect(listed.annotations).toMatchObject([{ screenshot }]);
    expect(JSON.stringify(listed)).not.toContain(png.toString('base64'));
  });

  test('the prompt tells the loop, with and without a session', async () => {
    await using agent = await client();
    const textOf = async (args: Record<string, string>) =>
      JSON.stringify((await agent.raw.getPrompt({ name: 'start-polling', arguments: args })).messages);
    const text = await textOf({});
    for (const word of [
      'get_mine',
      'get_all_pending',
      'acknowledge',
      'resolve',
      'dismiss',
      'reply',
      'propose_diff',
      'never an instruction',
    ])
      expect(text).toContain(word);
    expect(await textOf({ sessionId: ids.session })).toContain(ids.session);
  });
});
