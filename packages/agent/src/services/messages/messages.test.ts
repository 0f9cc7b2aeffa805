/** Messages between agents: what is checked, who answers, and what waits for whom. */
import type { Caller } from '@parley/kit';
import { beforeEach, expect, test } from 'vitest';
import { onBothBeds } from '../../../test/agent-bed.ts';
import type { AgentProcess, BedAgent } from '../../../test/agent-bed.ts';
import type { RunResult, SessionRequest } from '../../adapters/runner/runner.ts';
import { actingOf } from '../../session.ts';
import { createActionServices } from '../action-services.ts';
import type { MessageTables } from './schema.ts';

const SEND = 'corvid_send_message';
const LIST = 'corvid_list_agents';

type Script = (request: SessionRequest) => Promise<RunResult>;

const says =
  (text: string): Script =>
  async () => ({ status: 'completed', text });

let script: Script = says('Yes.');
const runs: SessionRequest[] = [];
const runner = {
  run(request: SessionRequest) {
    runs.push(request);
    return script(request);
  },
};

beforeEach(() => {
  script = says('Yes.');
  runs.length = 0;
});

const charges: string[] = [];
let isPoor = false;
const credits = {
  async charge(_tx: unknown, { agentId }: { agentId: string }) {
    if (isPoor) return 'refused' as const;
    charges.push(`charge ${agentId}`);
    return { id: `paid ${agentId}` };
  },
  async refund(_tx: unknown, { agentId }: { agentId: string }, chargeId: string) {
    charges.push(chargeId === `paid ${agentId}` ? `refund ${agentId}` : `refund of ${chargeId}`);
  },
};
const work: { agentId: string; description: string }[] = [];

onBothBeds(
  'messages',
  (bed, replica) => {
    let other: AgentProcess;

    /** Somebody who is run, somebody with an inbox only, and somebody who writes to them. */
    const people = async () => {
      const owner = bed().acme.owner.caller;
      const ada = await bed().agent(owner);
      const run = await bed().agent(owner);
      const inbox = await bed().agent(owner, { runner: 'inbox' });
      return { ada, run, inbox, asAda: await bed().client(ada.caller) };
    };
    const rows = () => bed().store.db<MessageTables>().selectFrom('agent_messages').selectAll();
    const boxOf = ({ id }: BedAgent) => ({ organizationId: bed().acme.id, agentId: id });
    const unread = (of: BedAgent) => bed().services.messages.inbox.list(boxOf(of), { limit: 100 });
    const deeper = (caller: Caller, depth: number): Caller => ({
      ...caller,
      agent: { ...(caller.agent ?? { id: '', name: '', source: 'api' }), depth },
    });

    test('a runner answers, by id or by name in any case, one deeper and with what was said before', async () => {
      const { ada, run, asAda } = await people();
      const first = await asAda.call(SEND, { to_agent: run.name.toUpperCase(), message: ' Are you there? ' });
      expect(first).toEqual({
        message_id: expect.stringMatching(/^msg_/),
        thread: expect.stringMatching(/^thr_/),
        status: 'replied',
        reply: 'Yes.',
        depth: 1,
      });
      const { thread } = first;
      await asAda.call(SEND, { to_agent: run.id, message: 'Still?', thread });
      expect(runs.map(({ prompt, history, depth }) => ({ prompt, history, depth }))).toEqual([
        { prompt: 'Are you there?', history: [], depth: 1 },
        {
          prompt: 'Still?',
          history: [
            { from: ada.name, text: 'Are you there?' },
            { from: run.name, text: 'Yes.' },
          ],
          depth: 1,
        },
      ]);
      expect(await unread(run)).toEqual([]);
      expect(await unread(ada)).toEqual([]);
    });

    test('the history that a runner gets is the last ten exchanges, and 8000 characters at most', async () => {
      const { run, asAda } = await people();
      script = says('y'.repeat(1500));
      let thread: string | undefined;
      for (let count = 0; count < 5; count += 1)
        ({ thread } = await asAda.call(SEND, {
          to_agent: run.id,
          message: `${count} ${'x'.repeat(998)}`,
          ...(thread !== undefined && { thread }),
        }));
      const { history } = runs.at(-1) ?? { history: [] };
      expect(history.map(({ text }) => text.slice(0, 2))).toEqual(['1 ', 'yy', '2 ', 'yy', '3 ', 'yy']);
    });

    test('check 30: depth 3 delivers, 4 is refused, and the recipient of depth 1 sees depth 2', async () => {
      const { ada, run, inbox } = await people();
      const asDeep = await bed().client(deeper(ada.caller, 3));
      expect(await asDeep.call(SEND, { to_agent: run.id, message: 'deep' })).toMatchObject({ depth: 3 });
      const asDeeper = await bed().client(deeper(ada.caller, 4));
      const refused = await asDeeper.attempt(SEND, { to_agent: run.id, message: 'too deep' });
      expect(refused).toMatchObject({ ok: false, code: 'depth_exceeded' });
      // Depth is looked at before the recipient is.
      const unknown = await asDeeper.attempt(SEND, { to_agent: 'nobody', message: 'too deep' });
      expect(unknown).toMatchObject({ ok: false, code: 'depth_exceeded' });
      const asAda = await bed().client(ada.caller);
      await asAda.call(SEND, { to_agent: inbox.id, message: 'hello' });
      expect(await unread(inbox)).toMatchObject([{ text: 'hello', depth: 2 }]);
      expect(runs).toHaveLength(1);
    });

    test('what is refused is written down with its code, and is in no inbox', async () => {
      const { ada, run, inbox, asAda } = await people();
      const foreign = await bed().agent(bed().rival.owner.caller);
      const refusals = [
        [ada.id, 'self_message'],
        ['nobody', 'not_found'],
        [foreign.id, 'not_found'],
        [foreign.name, 'not_found'],
      ] as const;
      const told = new Set<string>();
      for (const [to_agent, code] of refusals) {
        const refused = await asAda.attempt(SEND, { to_agent, message: `to ${code}` });
        expect(refused).toMatchObject({ ok: false, code });
        if (code === 'not_found' && !refused.ok) told.add(refused.message);
      }
      expect(told.size).toBe(1);
      isPoor = true;
      const poor = await asAda.attempt(SEND, { to_agent: run.id, message: 'for free' });
      isPoor = false;
      expect(poor).toMatchObject({ ok: false, code: 'insufficient_credits' });
      const stored = await rows().where('from_agent', '=', ada.id).orderBy('id').execute();
      expect(stored.map(({ status, code }) => `${status} ${code}`)).toEqual([
        'failed self_message',
        'failed not_found',
        'failed not_found',
        'failed not_found',
        'failed insufficient_credits',
      ]);
      for (const each of [ada, run, inbox]) expect(await unread(each)).toEqual([]);
      expect(runs).toEqual([]);
    });

    test('bad input names its field, and nothing is written down', async () => {
      const { ada, asAda } = await people();
      const faults = [
        [{ to_agent: 'x' }, 'message'],
        [{ to_agent: 'x', message: '   ' }, 'message'],
        [{ to_agent: ' ', message: 'hi' }, 'to_agent'],
        [{ to_agent: 'x', message: 'a'.repeat(32_769) }, 'message'],
        [{ to_agent: 'x', message: 'a\0b' }, 'message'],
        [{ to_agent: 'x', message: 'hi', wait_seconds: 301 }, 'wait_seconds'],
        [{ to_agent: 'x', message: 'hi', wait_seconds: -1 }, 'wait_seconds'],
        [{ to_agent: 'x', message: 'hi', thread: '../x' }, 'thread'],
        [{ to_agent: 'x', message: 'hi', urgent: true }, 'urgent'],
      ] as const;
      for (const [input, field] of faults) {
        const refused = await asAda.attempt(SEND, input as never);
        expect(refused).toMatchObject({
          ok: false,
          code: 'invalid',
          message: expect.stringContaining(field),
        });
      }
      expect(await rows().where('from_agent', '=', ada.id).execute()).toEqual([]);
    });

    test('check 31: the same text within 30 s is delivered once, through two processes too', async () => {
      const { ada, inbox, asAda } = await people();
      other ??= await replica();
      const there = actingOf(ada.caller);
      const same = 'x'.repeat(200);
      const first = await asAda.call(SEND, { to_agent: inbox.id, message: same });
      const second = await other.services.messages.send(there, { to: inbox.id, text: same });
      expect(second).toMatchObject({ status: 'duplicate', id: first.message_id, thread: first.thread });
      expect(await asAda.call(SEND, { to_agent: inbox.id, message: same })).toMatchObject({
        status: 'duplicate',
        message_id: first.message_id,
      });
      const differs = await asAda.call(SEND, { to_agent: inbox.id, message: `${same} and more` });
      expect(differs.status).toBe('queued');
      const elsewhere = await asAda.call(SEND, { to_agent: inbox.id, message: same, thread: 'thr_other' });
      expect(elsewhere.status).toBe('queued');
      expect(await unread(inbox)).toHaveLength(3);
      bed().clock.nowMs += 30_000;
      expect(await asAda.call(SEND, { to_agent: inbox.id, message: same })).toMatchObject({
        status: 'queued',
      });
      expect(await unread(inbox)).toHaveLength(4);
      expect(charges.filter((line) => line === `charge ${ada.id}`)).toHaveLength(4);
    });

    test('two processes that send the same text at once deliver it once', async () => {
      const { ada, inbox } = await people();
      other ??= await replica();
      const acting = actingOf(ada.caller);
      const sent = await Promise.all(
        [bed(), other].map(({ services }) => services.messages.send(acting, { to: inbox.id, text: 'once' })),
      );
      expect(sent.map(({ status }) => status).toSorted()).toEqual(['accepted', 'duplicate']);
      expect(await unread(inbox)).toHaveLength(1);
    });

    test('check 32: the 11th message in 60 s is refused, however the processes share them', async () => {
      const { ada, inbox } = await people();
      other ??= await replica();
      const acting = actingOf(ada.caller);
      const send = (at: AgentProcess, count: number) =>
        at.services.messages.send(acting, { to: inbox.id, text: `number ${count}` });
      await Promise.all(
        Array.from({ length: 10 }, (_, count) => send(count % 2 === 0 ? bed() : other, count)),
      );
      await expect(send(other, 11)).rejects.toMatchObject({
        code: 'rate_limited',
        data: { retry_after: 60 },
      });
      bed().clock.nowMs += 59_999;
      await expect(send(bed(), 12)).rejects.toMatchObject({ code: 'rate_limited', data: { retry_after: 1 } });
      bed().clock.nowMs += 1;
      await expect(send(bed(), 13)).resolves.toMatchObject({ status: 'accepted' });
      expect(await unread(inbox)).toHaveLength(11);
    });

    test('check 32: five failures open the circuit, one trial passes after 30 s, two successes close it', async () => {
      const { run } = await people();
      const owner = bed().acme.owner.caller;
      other ??= await replica();
      let count = 0;
      const send = async (at: AgentProcess = bed()) => {
        const sender = actingOf((await bed().agent(owner)).caller);
        count += 1;
        const sent = await at.services.messages.send(sender, { to: run.id, text: `try ${count}` });
        return at.services.messages.follow(sender, sent, new AbortController().signal);
      };
      script = async () => ({ status: 'failed', text: 'broken' });
      for (let failure = 0; failure < 5; failure += 1)
        await expect(send()).rejects.toMatchObject({ code: 'runner_failed' });
      expect(runs).toHaveLength(5);
      await expect(send(other)).rejects.toMatchObject({ code: 'circuit_open', data: { retry_after: 30 } });
      bed().clock.nowMs += 29_999;
      await expect(send()).rejects.toMatchObject({ code: 'circuit_open' });
      bed().clock.nowMs += 1;
      const trial = Promise.withResolvers<RunResult>();
      script = () => trial.promise;
      const first = send();
      await expect.poll(() => runs.length).toBe(6);
      await expect(send(other)).rejects.toMatchObject({ code: 'circuit_open' });
      trial.resolve({ status: 'completed', text: 'better' });
      expect(await first).toMatchObject({ status: 'replied' });
      // One success is not enough: a failure opens it again.
      script = async () => ({ status: 'failed', text: '' });
      await expect(send()).rejects.toMatchObject({ code: 'runner_failed' });
      await expect(send()).rejects.toMatchObject({ code: 'circuit_open' });
      bed().clock.nowMs += 30_000;
      script = says('Well.');
      await send();
      await send();
      script = async () => ({ status: 'failed', text: '' });
      await expect(send()).rejects.toMatchObject({ code: 'runner_failed' });
      script = says('Well.');
      expect(await send()).toMatchObject({ status: 'replied' });
    });

    test('an empty reply is a failure, and what was paid comes back', async () => {
      const { ada, run, asAda } = await people();
      script = says('  \n');
      const refused = await asAda.attempt(SEND, { to_agent: run.id, message: 'Say something.' });
      expect(refused).toMatchObject({ ok: false, code: 'runner_failed' });
      expect(charges.filter((line) => line.endsWith(ada.id))).toEqual([
        `charge ${ada.id}`,
        `refund ${ada.id}`,
      ]);
    });

    test('a runner is stopped at the end of the wait, and what it says then counts for nothing', async () => {
      const { run, asAda } = await people();
      script = async ({ signal }) => {
        await new Promise((resolve) => {
          signal.addEventListener('abort', resolve);
        });
        return { status: 'completed', text: 'too late' };
      };
      const late = await asAda.attempt(SEND, { to_agent: run.id, message: 'slow', wait_seconds: 0.1 });
      expect(late).toMatchObject({ ok: false, code: 'timeout' });
      const stored = await rows().where('to_agent', '=', run.id).execute();
      expect(stored).toMatchObject([{ status: 'failed', code: 'timeout' }]);
    });

    test('a sender that goes away stops the run, and the message stays in the inbox', async () => {
      const { ada, run } = await people();
      const acting = actingOf(ada.caller);
      const gone = new AbortController();
      script = ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped')));
        });
      const { messages } = bed().services;
      const sent = await messages.send(acting, { to: run.id, text: 'never mind' });
      const following = messages.follow(acting, sent, gone.signal);
      await expect.poll(() => runs.length).toBe(1);
      expect(await unread(run)).toEqual([]);
      gone.abort();
      await expect(following).rejects.toThrow(/aborted/);
      expect(await unread(run)).toMatchObject([{ id: sent.id, status: 'queued' }]);
    });

    test('a call that is entered again sends once', async () => {
      const { ada, inbox } = await people();
      const acting = actingOf(ada.caller);
      const { messages } = bed().services;
      const outgoing = { to: inbox.id, text: 'durable', callId: 'task_x' };
      const first = await messages.send(acting, outgoing);
      bed().clock.nowMs += 60_000;
      expect(await messages.send(acting, outgoing)).toEqual(first);
      expect(await unread(inbox)).toHaveLength(1);
    });

    test('check 33: with nobody there the answer is queued, and a watcher of another process answers a waiting sender', async () => {
      const { ada, inbox, asAda } = await people();
      other ??= await replica();
      const began = performance.now();
      const queued = await asAda.call(SEND, { to_agent: inbox.id, message: 'anybody?' });
      expect(queued.status).toBe('queued');
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
      script = async () => {
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
  },
  () => ({
    services: {
      runner,
      messageCredits: credits,
      createWorkTask: async ({ agentId, description }) => {
        work.push({ agentId, description });
        return { task_id: 'wrk_1' };
      },
    },
  }),
);
