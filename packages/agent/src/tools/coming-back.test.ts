/** Calls that outlast the patience of a client which can follow no task: the same call once more brings their result. */
import type { Caller } from '@parley/kit';
import { connect } from '@parley/kit/testing';
import { createTaskSeam, toolKinds } from '@parley/tasks';
import { eventually } from '@parley/test-support/eventually';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentProcess, BedAgent } from '../../test/agent-bed.ts';
import { onBothBeds } from '../../test/agent-bed.ts';
import type { RemoteTask } from '../adapters/remote-agents/remote-agents.ts';
import type { RunResult, SessionRequest } from '../adapters/runner/runner.ts';
import type { MessageTables } from '../services/messages/schema.ts';
import { endOf } from '../services/owner/answers.ts';
import type { OwnerTables } from '../services/owner/schema.ts';
import { actingOf } from '../session.ts';
import { agentToolset } from '../toolset.ts';

const ASK = 'corvid_ask_owner';
const SEND = 'corvid_send_message';
const INVOKE = 'corvid_invoke_remote_agent';
const WORKFLOW = 'corvid_manage_workflow';
const MINUTE_MS = 60_000;
/** How long a client waits that is answered before its work is done, and one that is not. */
const HASTY_MS = 60;
const PATIENT_MS = 60_000;

type Era = 'modern' | 'legacy';

let runs: PromiseWithResolvers<RunResult>[] = [];
const runner = {
  run: ({ signal }: SessionRequest) => {
    const run = Promise.withResolvers<RunResult>();
    runs.push(run);
    signal.addEventListener('abort', () => run.resolve({ status: 'cancelled', text: '' }));
    return run.promise;
  },
};

let sentOut = 0;
let remoteTask: RemoteTask = { id: 'task-1', state: 'working', reply: null };
const remoteAgents = {
  check: async () => undefined,
  card: async () => undefined,
  async send() {
    sentOut += 1;
    return remoteTask;
  },
  poll: async () => remoteTask,
};

beforeEach(() => {
  runs = [];
  sentOut = 0;
  remoteTask = { id: 'task-1', state: 'working', reply: null };
});

onBothBeds(
  'coming back',
  (bed, replica, once) => {
    const ends: (() => Promise<void>)[] = [];
    afterEach(async () => {
      for (const end of ends.splice(0)) await end();
    });

    const serving = new WeakSet<AgentProcess>();
    /** A client that can wait so long without hearing anything. */
    const clientOf = async (
      process: AgentProcess,
      as: Caller,
      { limitMs = HASTY_MS, era = 'modern' }: { limitMs?: number; era?: Era } = {},
    ) => {
      const { services, identity, tasks } = process;
      const now = () => bed().clock.nowMs;
      const seam = createTaskSeam(tasks, { now, inlineLimitMs: limitMs });
      const client = await connect(agentToolset, { services, as, era, tasks: seam });
      ends.push(() => client.close());
      if (!serving.has(process)) {
        serving.add(process);
        for (const kind of toolKinds(client.engine, (who) => identity.current(who))) tasks.register(kind);
        tasks.start();
      }
      return client.raw;
    };
    type Raw = Awaited<ReturnType<typeof clientOf>>;
    let other: AgentProcess | undefined;
    const elsewhere = async (as: Caller, era: Era = 'modern') =>
      clientOf((other ??= await replica()), as, { limitMs: PATIENT_MS, era });

    const call = async (client: Raw, name: string, args: Record<string, unknown>) => {
      const {
        content,
        structuredContent,
        isError = false,
      } = await client.callTool({ name, arguments: args });
      const [first] = content;
      return { text: first?.type === 'text' ? first.text : '', is: structuredContent, isError };
    };
    /** The answer of a tool that is not done, once the work behind it has begun. */
    const left = (client: Raw, name: string, args: Record<string, unknown>, field: string) =>
      eventually(async () => {
        const answer = await call(client, name, args);
        expect(answer.is).toHaveProperty(field);
        return answer;
      });
    const questionsOf = ({ id }: BedAgent) =>
      bed().store.db<OwnerTables>().selectFrom('owner_questions').selectAll().where('agent_id', '=', id);
    const messagesTo = ({ id }: BedAgent) =>
      bed()
        .store.db<MessageTables>()
        .selectFrom('agent_messages')
        .selectAll()
        .where('to_agent', '=', id)
        .where('reply_to', 'is', null)
        .execute();
    const toldOf = async ({ id }: BedAgent) => {
      const asked = { after: 0, types: ['question.asked'], limit: 100 };
      const events = await bed().host.events.history.events(bed().acme.id, asked);
      return events.filter(({ data }) => (data as { agentId: string }).agentId === id).length;
    };
    const answer = (id: string, given: object) =>
      bed().services.owner.questions.answer(bed().acme.member.caller, id, given);
    const newAgent = (input = {}) => bed().agent(bed().acme.owner.caller, input);
    const idIn = ({ is }: { is: unknown }, field = 'question_id') =>
      (is as Record<string, string>)[field] ?? '';
    const tasksOf = async ({ caller }: BedAgent) => {
      const owner = { organizationId: caller.organizationId, ownerId: caller.id };
      return (await bed().tasks.list(owner, { limit: 100 })).tasks;
    };

    describe.each(['modern', 'legacy'] as const)('over %s', (era) => {
      test('the same question goes on, is told once, and its answer is given out once, by any process', async () => {
        const agent = await newAgent();
        const hasty = await clientOf(bed(), agent.caller, { era });
        const asked = { question: 'Which colour?', options: ['red', 'blue'] };
        const first = await left(hasty, ASK, asked, 'question_id');
        const id = idIn(first);
        expect(first).toEqual({
          is: { question_id: id, answered: false, timed_out: false },
          text: `Question ${id} is not answered yet. Call corvid_ask_owner again with the same question and options to go on waiting. The answer is given to one call.`,
          isError: false,
        });
        // Put in other words around it, it is the same question.
        const again = await call(hasty, ASK, { ...asked, context: 'Hurry.', timeout_minutes: 5 });
        expect(again).toEqual(first);
        await answer(id, { optionIndex: 2 });
        const patient = await elsewhere(agent.caller, era);
        expect((await call(patient, ASK, asked)).is).toMatchObject({
          question_id: id,
          answered: true,
          answer: 'blue',
          option_index: 2,
        });
        expect([(await questionsOf(agent).execute()).length, await toldOf(agent)]).toEqual([1, 1]);
        const anew = await left(hasty, ASK, asked, 'question_id');
        expect(idIn(anew)).not.toBe(id);
        expect([(await questionsOf(agent).execute()).length, await toldOf(agent)]).toEqual([2, 2]);
        await answer(idIn(anew), { answer: 'neither' });
      });
    });

    test('a message whose run was given up has failed, and the same call sends it anew', async () => {
      const [agent, other] = [await newAgent(), await newAgent()];
      const hasty = await clientOf(bed(), agent.caller);
      const said = { to_agent: other.id, message: 'Crash' };
      await left(hasty, SEND, said, 'message_id');
      const [task] = await tasksOf(agent);
      // As the fifth process leaves it that ended with it.
      await bed()
        .store.db<{ tasks: Record<string, unknown> & { id: string } }>()
        .updateTable('tasks')
        .set({ crashes: 5, state: 'ready', worker_id: null, lease_until: null, due_at: 0, fence: 99 })
        .where('id', '=', task?.id ?? '')
        .execute();
      const patient = await elsewhere(agent.caller);
      const told = await patient.callTool({ name: SEND, arguments: said });
      expect(told).toMatchObject({ isError: true, _meta: { 'dev.parley/code': 'runner_failed' } });
      expect(await messagesTo(other)).toMatchObject([{ status: 'failed', code: 'runner_failed' }]);
      bed().clock.nowMs += MINUTE_MS;
      const before = runs.length;
      const anew = call(patient, SEND, said);
      await eventually(() => expect(runs).toHaveLength(before + 1));
      runs.at(-1)?.resolve({ status: 'completed', text: 'Alive.' });
      expect((await anew).is).toMatchObject({ status: 'replied', reply: 'Alive.' });
    });

    test('an answer reaches a call that goes on waiting in another process', async () => {
      const agent = await newAgent();
      const hasty = await clientOf(bed(), agent.caller);
      const id = idIn(await left(hasty, ASK, { question: 'Go on?' }, 'question_id'));
      const waiting = call(await elsewhere(agent.caller), ASK, { question: 'Go on?' });
      await answer(id, { answer: 'Yes' });
      expect((await waiting).is).toMatchObject({ question_id: id, answer: 'Yes' });
    });

    test('other options, and another agent, are other questions', async () => {
      const agent = await newAgent();
      const second = await newAgent();
      const question = 'Which?';
      const client = await clientOf(bed(), agent.caller);
      const ids = [
        await left(client, ASK, { question }, 'question_id'),
        await left(client, ASK, { question, options: ['a', 'b'] }, 'question_id'),
        await left(await clientOf(bed(), second.caller), ASK, { question }, 'question_id'),
      ].map((each) => idIn(each));
      expect(new Set(ids).size).toBe(3);
      for (const id of ids) await answer(id, { answer: 'x' });
    });

    once('a refusal that came meanwhile is told', async () => {
      const agent = await newAgent();
      const client = await clientOf(bed(), agent.caller);
      const id = idIn(await left(client, ASK, { question: 'May I?' }, 'question_id'));
      await answer(id, { decline: true });
      const told = await call(await elsewhere(agent.caller), ASK, { question: 'May I?' });
      expect(told).toMatchObject({ isError: true, text: 'Error: The owner declined to answer.' });
    });

    test('a question whose time was over unheard is asked anew', async () => {
      const agent = await newAgent();
      const client = await clientOf(bed(), agent.caller);
      const id = idIn(await left(client, ASK, { question: 'Anybody?', timeout_minutes: 1 }, 'question_id'));
      bed().clock.nowMs += MINUTE_MS;
      await bed().store.signal.publish(endOf(id));
      await eventually(async () => expect((await tasksOf(agent))[0]?.status).toBe('completed'));
      const anew = idIn(await left(client, ASK, { question: 'Anybody?' }, 'question_id'));
      expect(anew).not.toBe(id);
      await answer(anew, { answer: 'Me' });
    });

    test('a question that its client gave up is not gone on with', async () => {
      const agent = await newAgent();
      const patient = await clientOf(bed(), agent.caller, { limitMs: PATIENT_MS });
      const stop = new AbortController();
      const given = { name: ASK, arguments: { question: 'Never mind?' } };
      const asked = patient.callTool(given, { signal: stop.signal }).catch(() => 'given up');
      const open = await eventually(async () => questionsOf(agent).executeTakeFirstOrThrow());
      stop.abort();
      expect(await asked).toBe('given up');
      await eventually(async () =>
        expect(await questionsOf(agent).execute()).toMatchObject([{ id: open.id, status: 'withdrawn' }]),
      );
      const hasty = await clientOf(bed(), agent.caller);
      const anew = idIn(await left(hasty, ASK, given.arguments, 'question_id'));
      expect(anew).not.toBe(open.id);
      await answer(anew, { answer: 'x' });
    });

    test('an ordinary call asks for ten minutes at most, one that is followed for as long as it says', async () => {
      const agent = await newAgent();
      const args = { question: 'How long?', timeout_minutes: 60 };
      const deadlines = async () =>
        (await questionsOf(agent).orderBy('deadline_at').execute()).map(
          ({ deadline_at: at }) => (at - bed().clock.nowMs) / MINUTE_MS,
        );
      await left(await clientOf(bed(), agent.caller), ASK, args, 'question_id');
      expect(await deadlines()).toEqual([10]);
      const follower = { ...agent.caller, grants: { ...agent.caller.grants, tasks: ['get_task'] } };
      const handle = await call(await clientOf(bed(), follower), ASK, args);
      expect(handle).toMatchObject({
        is: { taskId: expect.stringMatching(/^task_/), status: 'working' },
        text: expect.stringContaining('Call get_task'),
      });
      await eventually(async () => expect(await deadlines()).toEqual([10, 60]));
      for (const { id } of await questionsOf(agent).execute()) await answer(id, { answer: 'x' });
    });

    once('a client that hears of progress is answered with the answer', async () => {
      const agent = await newAgent();
      const hasty = await clientOf(bed(), agent.caller);
      const given = { name: ASK, arguments: { question: 'Are you there?', timeout_minutes: 60 } };
      const asked = hasty.callTool(given, { onprogress: () => undefined });
      const open = await eventually(async () => questionsOf(agent).executeTakeFirstOrThrow());
      expect(open.deadline_at - bed().clock.nowMs).toBe(10 * MINUTE_MS);
      await answer(open.id, { answer: 'I am' });
      expect((await asked).structuredContent).toMatchObject({ answered: true, answer: 'I am' });
    });

    test('a message that is not answered yet is waited for by the same call, and sent once', async () => {
      const ada = await newAgent();
      const bob = await newAgent({ runner: 'inbox' });
      const args = { to_agent: bob.id, message: 'Well?', wait_seconds: 300 };
      const first = await left(await clientOf(bed(), ada.caller), SEND, args, 'message_id');
      const id = idIn(first, 'message_id');
      const thread = idIn(first, 'thread');
      expect(first).toEqual({
        is: { message_id: id, thread, status: 'pending', depth: 1 },
        text: `No reply to message ${id} in thread ${thread} yet. Call corvid_send_message again with the same arguments to go on waiting. The reply is given to one call; nothing is sent again before.`,
        isError: false,
      });
      bed().clock.nowMs += MINUTE_MS;
      const waiting = call(await elsewhere(ada.caller), SEND, args);
      const { inbox } = bed().services.messages;
      await inbox.reply({ organizationId: bed().acme.id, agentId: bob.id }, id, 'Well.');
      expect((await waiting).is).toMatchObject({ message_id: id, status: 'replied', reply: 'Well.' });
      expect(await messagesTo(bob)).toHaveLength(1);
    });

    test('a message whose wait is over is waited for again, until its reply was read', async () => {
      const ada = await newAgent();
      const bob = await newAgent({ runner: 'inbox' });
      const client = await elsewhere(ada.caller);
      const args = { to_agent: bob.id, message: 'Later?', wait_seconds: 0.05 };
      const first = await call(client, SEND, args);
      expect(first).toMatchObject({ is: { status: 'pending' }, text: expect.stringContaining('again') });
      const id = idIn(first, 'message_id');
      const soon = await call(client, SEND, args);
      expect(soon).toMatchObject({
        is: { status: 'duplicate', message_id: id },
        text: expect.stringContaining('call again in 30 s'),
      });
      bed().clock.nowMs += 31_000;
      expect((await call(client, SEND, args)).is).toMatchObject({ status: 'pending', message_id: id });
      const { inbox } = bed().services.messages;
      bed().clock.nowMs += MINUTE_MS;
      await inbox.reply({ organizationId: bed().acme.id, agentId: bob.id }, id, 'Now.');
      expect((await call(client, SEND, args)).is).toMatchObject({ status: 'replied', reply: 'Now.' });
      expect(await messagesTo(bob)).toHaveLength(1);
      expect((await call(client, SEND, args)).is).toMatchObject({ status: 'pending' });
      expect(await messagesTo(bob)).toHaveLength(2);
    });

    once('what a schedule says again is said again', async () => {
      const ada = await newAgent();
      const bob = await newAgent({ runner: 'inbox' });
      const { messages } = bed().services;
      const outgoing = { to: bob.id, text: 'Report.', waitSeconds: 300 };
      await messages.send(actingOf(ada.caller), outgoing);
      bed().clock.nowMs += 31_000;
      await messages.send(actingOf(ada.caller), outgoing);
      expect(await messagesTo(bob)).toHaveLength(2);
    });

    test('an agent that is run goes on while its sender is away', async () => {
      const ada = await newAgent();
      const bob = await newAgent();
      const args = { to_agent: bob.id, message: 'Think.' };
      await left(await clientOf(bed(), ada.caller), SEND, args, 'message_id');
      await eventually(async () => expect(runs).toHaveLength(1));
      runs[0]?.resolve({ status: 'completed', text: 'Thought.' });
      expect((await call(await elsewhere(ada.caller), SEND, args)).is).toMatchObject({ reply: 'Thought.' });
      expect([runs.length, (await messagesTo(bob)).length]).toEqual([1, 1]);
    });

    test('a run that its sender has stopped begins again with the same message', async () => {
      const ada = await newAgent();
      const bob = await newAgent();
      const args = { to_agent: bob.id, message: 'Begin.' };
      const stop = new AbortController();
      const patient = await elsewhere(ada.caller);
      const stopped = patient.callTool({ name: SEND, arguments: args }, { signal: stop.signal });
      const gone = stopped.catch(() => 'stopped');
      await eventually(async () => expect(runs).toHaveLength(1));
      stop.abort();
      expect(await gone).toBe('stopped');
      await eventually(async () => expect(await messagesTo(bob)).toMatchObject([{ status: 'queued' }]));
      bed().clock.nowMs += 31_000;
      const again = call(patient, SEND, args);
      await eventually(async () => expect(runs).toHaveLength(2));
      runs[1]?.resolve({ status: 'completed', text: 'Begun.' });
      expect((await again).is).toMatchObject({ status: 'replied', reply: 'Begun.' });
      expect(await messagesTo(bob)).toHaveLength(1);
    });

    once('a remote agent is told once, and asked for by the same call', async () => {
      const ada = await newAgent();
      const args = { agent_url: 'https://agent.example', message: 'Go.' };
      const client = await clientOf(bed(), ada.caller);
      const first = await left(client, INVOKE, args, 'taskId');
      expect(first.text).toBe(
        'Not done yet. Call corvid_invoke_remote_agent again with the same arguments to go on waiting; nothing is done twice.',
      );
      await eventually(async () => expect(sentOut).toBe(1));
      remoteTask = { id: 'task-1', state: 'completed', reply: 'Gone.' };
      expect((await call(await elsewhere(ada.caller), INVOKE, args)).is).toMatchObject({
        task_id: 'task-1',
        reply: 'Gone.',
      });
      expect(sentOut).toBe(1);
    });

    once('what waits for nothing becomes no task that nobody can follow', async () => {
      const ada = await newAgent();
      const client = await clientOf(bed(), ada.caller);
      expect((await call(client, WORKFLOW, { action: 'list' })).is).toEqual({ workflows: [] });
      expect(await tasksOf(ada)).toEqual([]);
    });
  },
  () => ({ services: { runner, outside: { remoteAgents, pollMs: 5 } }, tasks: { takeoverMs: 20 } }),
);
