/** The line to the owner without channels: what agents tell and ask, and how people answer over the console. */
import { createTaskSeam, toolKinds } from '@parley/tasks';
import { eventually } from '@parley/test-support/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AgentClient, AgentProcess, BedAgent } from '../../test/agent-bed.ts';
import { onBothBeds } from '../../test/agent-bed.ts';
import type { RestServer } from '../../test/rest-server.ts';
import { serveRest } from '../../test/rest-server.ts';
import { AGENT_EVENTS } from '../events.ts';
import { endOf } from '../services/owner/answers.ts';
import { looksAt } from '../services/owner/waiting.ts';

const MINUTE_MS = 60_000;
const NOTIFY = 'corvid_notify_owner';
const ASK = 'corvid_ask_owner';

onBothBeds(
  'the line to the owner',
  (bed, replica) => {
    let routes: RestServer;
    beforeAll(async () => {
      routes = await serveRest(bed());
    });
    afterAll(() => routes[Symbol.asyncDispose]());

    const get = async (path: string, as = bed().acme.owner.key) => {
      const { status, text } = await routes.ask(as, 'GET', path);
      return { status, data: (JSON.parse(text) as { data?: never }).data };
    };
    const answer = (id: string, body: unknown, as = bed().acme.member.key, over = routes) =>
      over.ask(as, 'POST', `/api/questions/${id}/answer`, body);
    const openOf = async (
      agent: BedAgent,
    ): Promise<{ id: string; deadline: string; options: string[] }[]> => {
      const { data } = await get('/api/questions?status=open&limit=100');
      const { questions } = data as unknown as { questions: { id: string; agent: { id: string } }[] };
      return questions.filter((question) => question.agent.id === agent.id) as never;
    };
    const oneOf = (agent: BedAgent) =>
      eventually(async () => {
        const [question] = await openOf(agent);
        if (question === undefined) throw new Error('Nothing is asked yet.');
        return question;
      });
    const asking = async (): Promise<{ agent: BedAgent; client: AgentClient }> => {
      const agent = await bed().agent(bed().acme.owner.caller);
      return { agent, client: await bed().client(agent.caller) };
    };
    const events = async (type: string) => {
      const found = await bed().host.events.history.events(bed().acme.id, {
        after: 0,
        types: [type],
        limit: 100,
      });
      return found.map(({ data }) => data as Record<string, unknown>);
    };

    test('what an agent tells is in the console of its organization, and nowhere else', async () => {
      const { agent, client } = await asking();
      const told = await client.call(NOTIFY, { message: '  Disk is full ', title: 'Disk', level: 'error' });
      expect(told).toEqual({ notification_id: expect.stringMatching(/^notification_/), channels: [] });
      const { data } = await get('/api/notifications?limit=1');
      const notification = {
        id: told.notification_id,
        agent: { id: agent.id, name: agent.name },
        level: 'error',
        title: 'Disk',
        message: 'Disk is full',
        created_at: expect.any(String),
        channels: [],
      };
      expect(data).toEqual({ notifications: [notification] });
      const event = (await events('notification.created')).find(({ id }) => id === told.notification_id);
      expect(AGENT_EVENTS.find(({ type }) => type === 'notification.created')?.data.parse(event)).toEqual({
        id: told.notification_id,
        agentId: agent.id,
        level: 'error',
        title: 'Disk',
        message: 'Disk is full',
      });
      const second = await client.call(NOTIFY, { message: 'Again' });
      const pages = await get(`/api/notifications?before=${second.notification_id}&limit=1`);
      expect(pages.data).toEqual({ notifications: [notification] });
      const { data: theirs } = await get('/api/notifications', bed().rival.owner.key);
      expect(theirs).toEqual({ notifications: [] });
      expect((await get('/api/notifications', agent.key)).status).toBe(403);
      expect((await get('/api/questions', agent.key)).status).toBe(403);
    });

    test('the 31st notification of an hour is refused, also when two processes count', async () => {
      const { agent, client } = await asking();
      const { services } = await replica();
      const of = { organizationId: bed().acme.id, agentId: agent.id };
      for (let sent = 0; sent < 15; sent += 1) {
        await client.call(NOTIFY, { message: `One ${sent}` });
        await services.owner.notifications.notify(of, { level: 'info', message: `Other ${sent}` });
      }
      expect(await client.attempt(NOTIFY, { message: 'More' })).toMatchObject({
        ok: false,
        code: 'rate_limited',
        data: { retry_after: 3600 },
      });
      bed().clock.nowMs += 60 * MINUTE_MS;
      expect(await client.attempt(NOTIFY, { message: 'More' })).toMatchObject({ ok: true });
    });

    test('a notice of the server itself is told once per key, and is not counted', async () => {
      const { agent } = await asking();
      const notice = {
        organizationId: bed().acme.id,
        agentId: agent.id,
        level: 'error',
        message: 'Paused',
      } as const;
      const { tell } = bed().services.owner.notifications;
      await tell({ ...notice, key: 'a' });
      await tell({ ...notice, key: 'a' });
      const list = await bed().services.owner.notifications.list(bed().acme.id, { limit: 100 });
      expect(list.filter((each) => each.agent.id === agent.id)).toHaveLength(1);
    });

    test.each([
      [NOTIFY, { message: ' ' }, 'message'],
      [NOTIFY, { message: 'x'.repeat(4001) }, 'message'],
      [NOTIFY, { message: 'x', title: 'x'.repeat(201) }, 'title'],
      [NOTIFY, { message: 'x', level: 'fatal' }, 'level'],
      [NOTIFY, { message: 'x', other: 1 }, 'other'],
      [ASK, { question: '' }, 'question'],
      [ASK, { question: 'x'.repeat(4001) }, 'question'],
      [ASK, { question: 'x', options: ['one'] }, 'options'],
      [ASK, { question: 'x', options: ['a', 'b', 'a'] }, 'options'],
      [ASK, { question: 'x', options: ['Yes', ' yes'] }, 'options'],
      [ASK, { question: 'x', options: ['a', 'x'.repeat(201)] }, 'options'],
      [ASK, { question: 'x', context: 'x'.repeat(8001) }, 'context'],
      [ASK, { question: 'x', timeout_minutes: '5' }, 'timeout_minutes'],
      [ASK, { question: 'x', who: 'me' }, 'who'],
    ] as const)('%s refuses %o', async (name, input, field) => {
      const { agent, client } = await asking();
      const refused = await client.attempt(name, input as never);
      expect(refused).toMatchObject({ ok: false, code: 'invalid', message: expect.stringContaining(field) });
      expect(await openOf(agent)).toEqual([]);
    });

    test('check 48: an answer in the console returns its text and the option, counted from 1', async () => {
      const { agent, client } = await asking();
      const asked = client.call(ASK, { question: 'Which?', options: ['Red', 'Green'], timeout_minutes: 1 });
      const { id } = await oneOf(agent);
      expect((await answer(id, { option_index: 3 })).status).toBe(400);
      expect((await answer(id, { option_index: 1, decline: true })).status).toBe(400);
      expect((await answer(id, {})).status).toBe(400);
      const given = await answer(id, { option_index: 2 });
      expect([given.status, JSON.parse(given.text)]).toMatchObject([200, { data: { status: 'answered' } }]);
      const result = { question_id: id, answered: true, answer: 'Green', option_index: 2, timed_out: false };
      expect(await asked).toEqual({ ...result, answered_by: expect.any(String) });
      const late = await answer(id, { answer: 'Red' });
      expect([late.status, late.text]).toEqual([409, expect.stringContaining('closed')]);
      const event = (await events('question.answered')).find((each) => each['id'] === id);
      expect(event).toMatchObject({ agentId: agent.id, declined: false, answer: 'Green', optionIndex: 2 });
      expect((await events('question.asked')).some((each) => each['id'] === id)).toBe(true);
    });

    test('an answer goes by the first eight characters, and in words that mean an option', async () => {
      const { agent, client } = await asking();
      const asked = client.call(ASK, { question: 'Go on?', options: ['Yes', 'No'] });
      const { id } = await oneOf(agent);
      for (const wrong of [id.slice(0, 7), `${id.slice(0, 7)}_`, `${id.slice(0, 7)}%25`])
        expect([wrong, (await answer(wrong, { answer: 'yes' })).status]).toEqual([wrong, 404]);
      expect((await answer(id.slice(0, 8), { answer: ' yes ' })).status).toBe(200);
      expect(await asked).toMatchObject({ answer: 'Yes', option_index: 1 });
    });

    test('a refusal is an error that says so', async () => {
      const { agent, client } = await asking();
      const asked = client.attempt(ASK, { question: 'May I?' });
      const { id } = await oneOf(agent);
      expect((await answer(id, { decline: true })).status).toBe(200);
      expect(await asked).toMatchObject({ ok: false, code: 'declined', data: { question_id: id } });
    });

    test('check 48: of answers at once, on two processes, one wins', async () => {
      const { agent, client } = await asking();
      const other = await replica();
      const otherRoutes = await serveRest(other);
      const asked = client.call(ASK, { question: 'Who is first?' });
      const { id } = await oneOf(agent);
      const all = await Promise.all(
        Array.from({ length: 8 }, async (_, index) => {
          const over = index % 2 === 0 ? routes : otherRoutes;
          const { status } = await answer(id, { answer: `answer ${index}` }, bed().acme.admin.key, over);
          return { status, index };
        }),
      );
      const won = all.filter(({ status }) => status === 200);
      expect(won).toHaveLength(1);
      expect((await asked).answer).toBe(`answer ${won[0]?.index}`);
      await otherRoutes[Symbol.asyncDispose]();
    });

    test('check 48: time that is over is a result, not an error, and takes no answer any more', async () => {
      const { agent, client } = await asking();
      const asked = client.call(ASK, { question: 'Anybody?', timeout_minutes: 500 });
      const { id, deadline } = await oneOf(agent);
      expect(Date.parse(deadline)).toBe(bed().clock.nowMs + 10 * MINUTE_MS);
      bed().clock.nowMs += 10 * MINUTE_MS;
      expect((await answer(id, { answer: 'late' })).status).toBe(409);
      await bed().store.signal.publish(endOf(id));
      expect(await asked).toEqual({ question_id: id, answered: false, timed_out: true });
      const { data } = await get('/api/questions?status=timed_out');
      expect(JSON.stringify(data)).toContain(id);
    });

    test('the sixth open question is refused', async () => {
      const { agent, client } = await asking();
      const open = Array.from({ length: 5 }, (_, index) => client.call(ASK, { question: `Q${index}` }));
      await eventually(async () => expect(await openOf(agent)).toHaveLength(5));
      expect(await client.attempt(ASK, { question: 'Q6' })).toMatchObject({
        ok: false,
        code: 'limit_reached',
      });
      for (const { id } of await openOf(agent)) await answer(id, { answer: 'ok' });
      await Promise.all(open);
    });

    test('a question of another organization answers like one that nobody asked', async () => {
      const { agent, client } = await asking();
      const asked = client.call(ASK, { question: 'Ours?' });
      const { id } = await oneOf(agent);
      const theirs = bed().rival.owner.key;
      const unknown = await answer('0'.repeat(32), { answer: 'x' }, theirs);
      expect(unknown.status).toBe(404);
      for (const foreign of [id, id.slice(0, 8)]) {
        const { status, text } = await answer(foreign, { answer: 'x' }, theirs);
        expect([status, text]).toEqual([unknown.status, unknown.text]);
      }
      expect((await answer(id, { answer: 'x' }, agent.key)).status).toBe(403);
      await answer(id, { answer: 'x' });
      await asked;
    });

    test('a call that is given up withdraws its question', async () => {
      const { agent, client } = await asking();
      const stop = new AbortController();
      const given = { name: ASK, arguments: { question: 'Never mind?' } };
      const asked = client.raw.callTool(given, { signal: stop.signal }).catch(() => 'given up');
      const { id } = await oneOf(agent);
      stop.abort();
      expect(await asked).toBe('given up');
      await eventually(async () => expect(await openOf(agent)).toEqual([]));
      expect((await answer(id, { answer: 'x' })).status).toBe(409);
      expect(JSON.stringify((await get('/api/questions?status=withdrawn')).data)).toContain(id);
    });

    test('while nobody watches, the owner can be told and not asked', async () => {
      const { agent } = await asking();
      const client = await bed().client({ ...agent.caller, unattended: true });
      const names = await client.toolNames();
      expect([names.includes(NOTIFY), names.includes(ASK)]).toEqual([true, false]);
    });

    test('as a task a question outlives the process that asked, and may wait for a week', async () => {
      const { agent } = await asking();
      const { clock } = bed();
      const inTasks = async (process: AgentProcess) => {
        const { identity, tasks, services } = process;
        const { connect } = await import('@parley/kit/testing');
        const { agentToolset } = await import('../toolset.ts');
        const seam = createTaskSeam(tasks, { inlineLimitMs: 20, now: () => clock.nowMs });
        // Only a task that its caller can follow waits for so long.
        const grants = { ...agent.caller.grants, tasks: ['get_task'] };
        const client = await connect(agentToolset, {
          services,
          as: { ...agent.caller, grants },
          tasks: seam,
        });
        for (const kind of toolKinds(client.engine, async () => identity.authenticate(agent.key, 'key')))
          tasks.register(kind);
        tasks.start();
        return client;
      };
      const first = await replica();
      const client = await inTasks(first);
      const given = { question: 'Shall I?', timeout_minutes: 99_999 };
      const handle = await client.raw.callTool({ name: ASK, arguments: given });
      const { id, deadline } = await oneOf(agent);
      expect(Date.parse(deadline)).toBe(clock.nowMs + 10_080 * MINUTE_MS);
      const taskId = /task_[\w-]+/.exec(JSON.stringify(handle))?.[0] ?? '';
      await first.tasks.stop();
      const second = await replica();
      await inTasks(second);
      const task = () =>
        second.tasks.get({ organizationId: bed().acme.id, ownerId: agent.caller.id }, taskId);
      const stateOf = async () => (await rowOf(taskId)).state;
      // Held for ten minutes, then parked: it takes no place among what runs.
      await eventually(async () => expect(await stateOf()).toBe('running'));
      clock.nowMs += 10 * MINUTE_MS + 5000;
      await bed().store.signal.publish(endOf(id));
      await eventually(async () => expect(await stateOf()).toBe('ready'));
      clock.nowMs += 24 * 60 * MINUTE_MS;
      await answer(id, { answer: 'You shall' });
      // The longest pause between two looks is five minutes.
      clock.nowMs += 5 * MINUTE_MS;
      await eventually(async () => expect((await task())?.status).toBe('completed'));
      expect(await openOf(agent)).toEqual([]);
      expect((await task())?.result).toMatchObject({
        structuredContent: { question_id: id, answered: true, answer: 'You shall', timed_out: false },
      });
    });

    const rowOf = (taskId: string) =>
      bed()
        .store.db<{ tasks: { id: string; state: string } }>()
        .selectFrom('tasks')
        .selectAll()
        .where('id', '=', taskId)
        .executeTakeFirstOrThrow();
  },
  () => ({ tasks: { takeoverMs: 20 } }),
);

test('a week of waiting is some thousand looks, the last one at the deadline', () => {
  const week = { askedAt: 0, deadlineAt: 10_080 * MINUTE_MS };
  const looks = [...looksAt(week)];
  expect([looks[0], looks.at(-1)]).toEqual([10 * MINUTE_MS, week.deadlineAt]);
  expect(looks.length).toBeLessThan(3000);
  expect([...looksAt({ askedAt: 5, deadlineAt: 6 })]).toEqual([6]);
});
