/** The inbox of an agent: what waits in it, who takes and answers that, and what becomes work. */
import type { Caller } from '@parley/kit';
import { expect, test } from 'vitest';
import type { BedAgent } from '../../../test/agent-bed.ts';
import { LIST, onMessageBeds, played, runs, SEND, work } from '../../../test/message-bed.ts';
import { actingOf } from '../../session.ts';
import { createActionServices } from '../action-services.ts';
import type { MessageTables } from './schema.ts';

onMessageBeds('inboxes', (bed, here) => {
  const { people, rows, boxOf, unread, deeper } = here;

  test('check 33: with nobody there the answer is queued, and a watcher of another process answers a waiting sender', async () => {
    const { ada, inbox, asAda } = await people();
    const other = await here.other();
    const began = performance.now();
    const first = await asAda.attempt(SEND, { to_agent: inbox.id, message: 'anybody?' });
    if (!first.ok) throw new Error(first.message);
    const { value: queued, text } = first;
    expect(queued.status).toBe('queued');
    expect(text).toMatch(/^Queued: .*runs it only if it has the server's --runner\.$/);
    expect(performance.now() - began).toBeLessThan(1000);
    const [message] = await other.services.messages.inbox.list(boxOf(inbox), { limit: 10 });
    expect(message).toMatchObject({ text: 'anybody?', from: { id: ada.id, name: ada.name } });
    await other.services.messages.inbox.reply(boxOf(inbox), queued.message_id, 'Late, yet here.');
    // The sender does not wait, so the reply is in its inbox, in the same thread.
    expect(await unread(ada)).toMatchObject([
      { text: 'Late, yet here.', thread: queued.thread, reply_to: queued.message_id },
    ]);

    const polled = other.services.messages.poll(boxOf(inbox), { callerId: 'key_w', waitSeconds: 30 });
    await expect
      .poll(async () => (await asAda.call(LIST, {})).agents.find(({ id }) => id === inbox.id)?.reachable)
      .toBe('watched');
    const waiting = asAda.call(SEND, { to_agent: inbox.id, message: 'watched?' });
    const [seen] = await polled;
    expect(seen).toMatchObject({ text: 'watched?' });
    await other.services.messages.inbox.claim(boxOf(inbox), seen?.id ?? '', 'key_w');
    const answered = performance.now();
    await other.services.messages.inbox.reply(boxOf(inbox), seen?.id ?? '', 'Yes, I am.', 'key_w');
    expect(await waiting).toMatchObject({ status: 'replied', reply: 'Yes, I am.' });
    expect(performance.now() - answered).toBeLessThan(1000);
    expect((await unread(ada)).map(({ text }) => text)).toEqual(['Late, yet here.']);
  });

  test('a sender that waits in vain gets pending, and the reply later', async () => {
    const { ada, inbox, asAda } = await people();
    const waited = await asAda.call(SEND, { to_agent: inbox.id, message: 'soon?', wait_seconds: 0.05 });
    expect(waited.status).toBe('pending');
    bed().clock.nowMs += 60_000;
    await bed().services.messages.inbox.reply(boxOf(inbox), waited.message_id, 'Now.');
    expect(await unread(ada)).toMatchObject([{ text: 'Now.', thread: waited.thread }]);
  });

  test('a message back in the thread of an open one is its reply: no wait, at any depth, once', async () => {
    const { ada, inbox, asAda } = await people();
    const { thread, message_id } = await asAda.call(SEND, { to_agent: inbox.id, message: 'question' });
    const asDeep = await bed().client(deeper(inbox.caller, 4));
    const reply = await asDeep.call(SEND, { to_agent: ada.id, message: 'answer', thread });
    expect(reply).toMatchObject({ status: 'queued', thread });
    expect(await unread(ada)).toMatchObject([{ text: 'answer', reply_to: message_id }]);
    expect(await unread(inbox)).toEqual([]);
    expect(runs).toEqual([]);
    // The second is a message of its own, to which every rule applies.
    const more = await asDeep.attempt(SEND, { to_agent: ada.id, message: 'and', thread });
    expect(more).toMatchObject({ ok: false, code: 'depth_exceeded' });
    const again = bed().services.messages.inbox.reply(boxOf(inbox), message_id, 'once more');
    await expect(again).rejects.toMatchObject({ code: 'conflict' });
    // Who writes on in the thread has read what came back.
    await asAda.call(SEND, { to_agent: inbox.id, message: 'thanks', thread });
    expect(await unread(ada)).toEqual([]);
  });

  test('a run that replies by a message of its own is not answered twice', async () => {
    const { ada, run, asAda } = await people();
    played.script = async () => {
      const [open] = await rows().where('to_agent', '=', run.id).execute();
      const asRun = await bed().client(run.caller);
      await asRun.call(SEND, { to_agent: ada.id, message: 'by message', thread: open?.thread ?? '' });
      return { status: 'completed', text: 'by output' };
    };
    const answered = await asAda.call(SEND, { to_agent: run.id, message: 'how?' });
    expect(answered).toMatchObject({ status: 'replied', reply: 'by message' });
    expect(await unread(ada)).toEqual([]);
  });

  test('a claim is a lease: another worker is refused, and gets it when it was not renewed', async () => {
    const { inbox, asAda } = await people();
    const { message_id: id } = await asAda.call(SEND, { to_agent: inbox.id, message: 'mine' });
    const box = bed().services.messages.inbox;
    await box.claim(boxOf(inbox), id, 'one');
    expect(await unread(inbox)).toEqual([]);
    bed().clock.nowMs += 59_999;
    await expect(box.claim(boxOf(inbox), id, 'two')).rejects.toMatchObject({ code: 'conflict' });
    await expect(box.reply(boxOf(inbox), id, 'no', 'two')).rejects.toMatchObject({ code: 'conflict' });
    await box.claim(boxOf(inbox), id, 'one');
    bed().clock.nowMs += 60_000;
    expect(await unread(inbox)).toMatchObject([{ id }]);
    await box.claim(boxOf(inbox), id, 'two');
    await expect(box.reply(boxOf(inbox), id, 'no', 'one')).rejects.toMatchObject({ code: 'conflict' });
    await box.reply(boxOf(inbox), id, 'yes', 'two');
  });

  test('a recipient that fails says so to the sender that waits', async () => {
    const { inbox, asAda } = await people();
    const waiting = asAda.attempt(SEND, { to_agent: inbox.id, message: 'can you?', wait_seconds: 30 });
    const id = await expect
      .poll(async () => (await unread(inbox))[0]?.id)
      .toBeDefined()
      .then(async () => (await unread(inbox))[0]?.id ?? '');
    const failure = { code: 'runner_failed', reason: 'I cannot.' };
    await bed().services.messages.inbox.fail(boxOf(inbox), id, failure);
    expect(await waiting).toMatchObject({ ok: false, code: 'runner_failed', message: 'I cannot.' });
  });

  test('an inbox takes 1000 unread messages, and then names its agent', async () => {
    const { ada, inbox, asAda } = await people();
    const { message_id } = await asAda.call(SEND, { to_agent: inbox.id, message: 'first' });
    const [first] = await rows().where('id', '=', message_id).execute();
    if (first === undefined) throw new Error('There is no message.');
    const more = Array.from({ length: 999 }, (_, index) => ({
      ...first,
      id: `msg_fill_${inbox.id}_${index}`.slice(0, 60),
      accepted_at: 1,
    }));
    for (let at = 0; at < more.length; at += 300)
      await bed()
        .store.db<MessageTables>()
        .insertInto('agent_messages')
        .values(more.slice(at, at + 300))
        .execute();
    const refused = await asAda.attempt(SEND, { to_agent: inbox.id, message: 'one more' });
    expect(refused).toMatchObject({
      ok: false,
      code: 'rate_limited',
      message: expect.stringContaining(inbox.name),
    });
    expect(ada.name).not.toBe(inbox.name);
  });

  test('[WORK] makes a work task of the recipient, for a sender that could make one itself', async () => {
    const owner = bed().acme.owner.caller;
    const { inbox } = await people();
    const may = await bed().agent(owner);
    const caller = { ...may.caller, held: { agent: [SEND, 'corvid_create_work_task'] } };
    const asMay = await bed().client(caller);
    expect(await asMay.call(SEND, { to_agent: inbox.id, message: '[WORK] Mend it.' })).toMatchObject({
      status: 'work_task',
      task_id: 'wrk_1',
    });
    expect(work).toMatchObject([{ agentId: inbox.id, description: 'Mend it.' }]);
    expect(await unread(inbox)).toEqual([]);
    const mayNot = await bed().agent(owner, { tools: [SEND] });
    const asMayNot = await bed().client(mayNot.caller);
    const sent = await asMayNot.call(SEND, { to_agent: inbox.id, message: '[WORK] Mend it.' });
    expect(sent.status).toBe('queued');
    expect(work).toHaveLength(1);
    work.length = 0;
  });

  test('[WORK] of a run that nobody watches is a message, unless somebody approved it', async () => {
    const { ada, inbox } = await people();
    const held = { agent: [SEND, 'corvid_create_work_task'] };
    const { services } = bed();
    const { messages } = services;
    const { signal } = new AbortController();
    const ofSchedules = createActionServices(services).messages;
    const unwatched: Partial<Caller>[] = [
      { unattended: true },
      ...['schedule', 'webhook', 'remote'].map((source) => ({
        agent: { id: ada.id, name: ada.name, depth: 1, source },
      })),
    ];
    for (const [index, how] of unwatched.entries()) {
      const acting = actingOf({ ...ada.caller, held, ...how });
      const sent = await messages.send(acting, { to: inbox.id, text: `[WORK] Mend ${index}.` });
      expect(await messages.follow(acting, sent, signal)).toMatchObject({ status: 'queued' });
      expect(work).toHaveLength(index);
      // An execution runs only after the word that its actions need.
      const message = { to: inbox.id, text: `[WORK] Approved ${index}.`, key: `exec_${inbox.id}:${index}` };
      expect(await ofSchedules?.send(acting, message, signal)).toMatchObject({ status: 'work_task' });
      expect(work).toHaveLength(index + 1);
    }
    work.length = 0;
  });

  test('the list tells who is reached how, how far they are trusted, and not the agent itself', async () => {
    const { ada, run, inbox, asAda } = await people();
    const before = await rows().execute();
    const { agents, truncated } = await asAda.call(LIST, {});
    expect(truncated).toBe(false);
    expect(agents.map(({ id }) => id)).not.toContain(ada.id);
    const of = ({ id }: BedAgent) => agents.find((agent) => agent.id === id);
    expect(of(run)).toMatchObject({ reachable: 'runner', trust_level: 'medium' });
    expect(of(inbox)).toMatchObject({ reachable: 'inbox', trust_level: 'medium' });
    expect(await rows().execute()).toEqual(before);
  });

  test('an unattended agent has no messages to send', async () => {
    const { ada, run } = await people();
    const asUnwatched = await bed().client({ ...ada.caller, unattended: true });
    expect(await asUnwatched.toolNames()).not.toContain(SEND);
    const call = asUnwatched.raw.callTool({ name: SEND, arguments: { to_agent: run.id, message: 'hi' } });
    await expect(call).rejects.toThrow(/unknown tool/i);
  });

  test('a client that watches the inbox is a watcher, here at once and elsewhere soon', async () => {
    const { inbox, asAda } = await people();
    const unwatch = bed().host.changes.subscribe(
      () => undefined,
      (uri) => (uri === 'agent://inbox' ? [inbox.caller] : []),
    );
    const waiting = asAda.call(SEND, { to_agent: inbox.id, message: 'are you watching?' });
    await expect.poll(async () => (await unread(inbox)).length).toBe(1);
    const [message] = await unread(inbox);
    await bed().services.messages.inbox.reply(boxOf(inbox), message?.id ?? '', 'I am.');
    expect(await waiting).toMatchObject({ status: 'replied', reply: 'I am.' });
    unwatch();
    const after = await asAda.call(SEND, { to_agent: inbox.id, message: 'and now?' });
    expect(after.status).toBe('queued');
  });
});
