/** Messages between agents: what is checked before one is delivered, and how a runner answers it. */
import { expect, test } from 'vitest';
import type { AgentProcess } from '../../../test/agent-bed.ts';
import { charges, onMessageBeds, played, runs, says, SEND } from '../../../test/message-bed.ts';
import type { RunResult } from '../../adapters/runner/runner.ts';
import { actingOf } from '../../session.ts';

onMessageBeds('messages', (bed, here) => {
  const { people, rows, unread, deeper } = here;

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
    played.script = says('y'.repeat(1500));
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
    played.isPoor = true;
    const poor = await asAda.attempt(SEND, { to_agent: run.id, message: 'for free' });
    played.isPoor = false;
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
    const other = await here.other();
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
    const other = await here.other();
    const acting = actingOf(ada.caller);
    const sent = await Promise.all(
      [bed(), other].map(({ services }) => services.messages.send(acting, { to: inbox.id, text: 'once' })),
    );
    expect(sent.map(({ status }) => status).toSorted()).toEqual(['accepted', 'duplicate']);
    expect(await unread(inbox)).toHaveLength(1);
  });

  test('check 32: the 11th message in 60 s is refused, however the processes share them', async () => {
    const { ada, inbox } = await people();
    const other = await here.other();
    const acting = actingOf(ada.caller);
    const send = (at: AgentProcess, count: number) =>
      at.services.messages.send(acting, { to: inbox.id, text: `number ${count}` });
    await Promise.all(Array.from({ length: 10 }, (_, count) => send(count % 2 === 0 ? bed() : other, count)));
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
    const other = await here.other();
    let count = 0;
    const send = async (at: AgentProcess = bed()) => {
      const sender = actingOf((await bed().agent(owner)).caller);
      count += 1;
      const sent = await at.services.messages.send(sender, { to: run.id, text: `try ${count}` });
      return at.services.messages.follow(sender, sent, new AbortController().signal);
    };
    played.script = async () => ({ status: 'failed', text: 'broken' });
    for (let failure = 0; failure < 5; failure += 1)
      await expect(send()).rejects.toMatchObject({ code: 'runner_failed' });
    expect(runs).toHaveLength(5);
    await expect(send(other)).rejects.toMatchObject({ code: 'circuit_open', data: { retry_after: 30 } });
    bed().clock.nowMs += 29_999;
    await expect(send()).rejects.toMatchObject({ code: 'circuit_open' });
    bed().clock.nowMs += 1;
    const trial = Promise.withResolvers<RunResult>();
    played.script = () => trial.promise;
    const first = send();
    await expect.poll(() => runs.length).toBe(6);
    await expect(send(other)).rejects.toMatchObject({ code: 'circuit_open' });
    trial.resolve({ status: 'completed', text: 'better' });
    expect(await first).toMatchObject({ status: 'replied' });
    // One success is not enough: a failure opens it again.
    played.script = async () => ({ status: 'failed', text: '' });
    await expect(send()).rejects.toMatchObject({ code: 'runner_failed' });
    await expect(send()).rejects.toMatchObject({ code: 'circuit_open' });
    bed().clock.nowMs += 30_000;
    played.script = says('Well.');
    await send();
    await send();
    played.script = async () => ({ status: 'failed', text: '' });
    await expect(send()).rejects.toMatchObject({ code: 'runner_failed' });
    played.script = says('Well.');
    expect(await send()).toMatchObject({ status: 'replied' });
  });

  test('an empty reply is a failure, and what was paid comes back', async () => {
    const { ada, run, asAda } = await people();
    played.script = says('  \n');
    const refused = await asAda.attempt(SEND, { to_agent: run.id, message: 'Say something.' });
    expect(refused).toMatchObject({ ok: false, code: 'runner_failed' });
    expect(charges.filter((line) => line.endsWith(ada.id))).toEqual([`charge ${ada.id}`, `refund ${ada.id}`]);
  });

  test('a runner is stopped at the end of the wait, and what it says then counts for nothing', async () => {
    const { run, asAda } = await people();
    played.script = async ({ signal }) => {
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
    played.script = ({ signal }) =>
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
});
