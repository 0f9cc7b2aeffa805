/** Firing: each due time has one execution, whatever the number of replicas and whatever the clock does; nobody watches them. */
import { eventually } from '@parley/test-support/eventually';
import { beforeEach, expect, test } from 'vitest';
import { onBothBeds } from '../../../test/agent-bed.ts';
import type { ScriptedActions } from '../../../test/scripted-actions.ts';
import { actingBed, failing, scriptedActions } from '../../../test/scripted-actions.ts';
import type { ScheduleTables } from './schema.ts';

const TOOL = 'corvid_manage_schedule';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const STAR = { type: 'star_repo' as const, repos: ['acme/app'] };

let made: ScriptedActions;

onBothBeds(
  'firing',
  (bed, replica, once) => {
    const actions = made;
    beforeEach(() => {
      actions.script = () => undefined;
      actions.deeds.length = 0;
    });

    /** A schedule of a new agent, and what a test does with it. */
    const scheduled = async (input: object) => {
      const { acme, agent, client, store, clock, services } = bed();
      const maker = await agent(acme.member.caller);
      const tools = await client(maker.caller);
      const wanted = { action: 'create' as const, name: 'Often', schedule_actions: [STAR], ...input };
      const { id: schedule_id = '' } = await tools.call(TOOL, wanted);
      const executions = async (status?: string) => {
        const rows = await store
          .db<ScheduleTables>()
          .selectFrom('schedule_executions')
          .selectAll()
          .where('schedule_id', '=', schedule_id)
          .orderBy('due_at')
          .execute();
        return rows.filter((row) => status === undefined || row.status === status);
      };
      const idle = () =>
        eventually(async () => {
          const rows = await executions();
          expect(rows.filter(({ status }) => status === 'pending' || status === 'running')).toEqual([]);
        });
      return {
        id: schedule_id,
        maker,
        tools,
        executions,
        do: (action: 'pause' | 'resume' | 'delete' | 'run_now' | 'history') =>
          tools.attempt(TOOL, { action, schedule_id }),
        listed: async () => {
          const { schedules = [] } = await tools.call(TOOL, { action: 'list' });
          return schedules[0];
        },
        /** Turns the clock, looks at it, and waits until nothing runs. */
        async turn(byMs: number) {
          clock.nowMs += byMs;
          await services.schedules.check();
          await idle();
        },
        idle,
      };
    };

    test('check 40: three replicas and 100 due times make 100 executions', async () => {
      const others = [await replica(), await replica()];
      const { services, clock } = bed();
      const all = [services, ...others.map((other) => other.services)];
      // Waiting for a word, they take no places and no time.
      const waiting = await scheduled({ cron_expression: '*/5 * * * *', approval_policy: 'council_approve' });
      const running = await scheduled({ cron_expression: '0 * * * *' });
      const start = clock.nowMs;
      const dueTimes = (count: number, everyMs: number) =>
        Array.from({ length: count }, (_, index) => start + (index + 1) * everyMs);
      for (let due = 1; due <= 100; due += 1) {
        clock.nowMs = start + due * 5 * MINUTE;
        await Promise.all(all.map(({ schedules }) => schedules.check()));
      }
      await running.idle();
      expect((await waiting.executions('waiting')).map(({ due_at }) => due_at)).toEqual(
        dueTimes(100, 5 * MINUTE),
      );
      expect((await running.executions('completed')).map(({ due_at }) => due_at)).toEqual(dueTimes(8, HOUR));
      expect(await running.executions()).toHaveLength(8);
      expect(actions.deeds).toHaveLength(8);
      expect(await running.listed()).toMatchObject({ runs: 8, failures: 0 });
      for (const each of [waiting, running]) await each.do('delete');
      expect(await waiting.executions('cancelled')).toHaveLength(100);
    });

    test('check 40: after an hour down nothing older than 5 minutes fires, and the rest is written down', async () => {
      const { executions, turn, do: act } = await scheduled({ cron_expression: '*/5 * * * *' });
      await turn(HOUR + 2 * MINUTE);
      expect(await executions('skipped')).toHaveLength(11);
      expect((await executions('completed')).map(({ due_at }) => bed().clock.nowMs - due_at)).toEqual([
        2 * MINUTE,
      ]);
      expect(actions.said()).toEqual(['star acme/app']);
      await act('delete');
    });

    test('a clock that is set back fires nothing twice', async () => {
      const { executions, turn, do: act } = await scheduled({ interval_minutes: 60 });
      await turn(HOUR);
      expect(await executions()).toHaveLength(1);
      await turn(-30 * MINUTE);
      await turn(30 * MINUTE);
      expect(await executions()).toHaveLength(1);
      await turn(HOUR);
      expect(await executions()).toHaveLength(2);
      await act('delete');
    });

    once('nine in Berlin is nine in summer and in winter', async () => {
      const { clock, services } = bed();
      clock.nowMs = Date.parse('2030-03-30T12:00:00Z');
      const nine = { cron_expression: '0 9 * * *', timezone: 'Europe/Berlin' };
      const { executions, idle, do: act } = await scheduled(nine);
      for (let hour = 0; hour < 48; hour += 1) {
        clock.nowMs += HOUR;
        await services.schedules.check();
      }
      await idle();
      expect((await executions()).map(({ due_at }) => new Date(due_at).toISOString())).toEqual([
        '2030-03-31T07:00:00.000Z',
        '2030-04-01T07:00:00.000Z',
      ]);
      await act('delete');
    });

    test('whoever acts for a schedule is unattended, at the depth of its maker, with the rights of now', async () => {
      const { maker, do: act, idle, executions } = await scheduled({ interval_minutes: 60 });
      expect(await act('run_now')).toMatchObject({ ok: true, value: { status: 'running' } });
      await idle();
      expect(actions.deeds.map(({ acting }) => acting)).toMatchObject([
        { agentId: maker.id, source: 'schedule', unattended: true, depth: 1, caller: { unattended: true } },
      ]);
      expect(await executions()).toMatchObject([
        { status: 'completed', result: 'star_repo: starred acme/app' },
      ]);
      await act('delete');
    });

    test('a running execution keeps what it was told; a second one now is refused; two run at once, others wait', async () => {
      const gate = Promise.withResolvers<void>();
      actions.script = () => gate.promise;
      const first = await scheduled({ interval_minutes: 60 });
      const others = [await scheduled({ interval_minutes: 60 }), await scheduled({ interval_minutes: 60 })];
      expect(await first.do('run_now')).toMatchObject({ value: { status: 'running' } });
      expect(await first.do('run_now')).toMatchObject({ ok: false, code: 'conflict' });
      const statuses = [];
      for (const other of others) statuses.push(await other.do('run_now'));
      expect(statuses).toMatchObject([{ value: { status: 'running' } }, { value: { status: 'pending' } }]);
      const changed = { type: 'star_repo' as const, repos: ['acme/other'] };
      await first.tools.call(TOOL, { action: 'update', schedule_id: first.id, schedule_actions: [changed] });
      gate.resolve();
      for (const each of [first, ...others]) await each.idle();
      expect(actions.said()).toEqual(Array.from({ length: 3 }, () => 'star acme/app'));
      for (const each of [first, ...others]) await each.do('delete');
    });

    test('check 41: five failures in a row pause it and tell the owner once; resume clears them', async () => {
      // What other schedules wait for was told before.
      actions.notices.length = 0;
      actions.script = failing;
      const { maker, turn, listed, do: act, executions } = await scheduled({ interval_minutes: 60 });
      for (let failed = 1; failed <= 4; failed += 1) await turn(HOUR);
      expect(await listed()).toMatchObject({ status: 'active', failures: 4 });
      expect(actions.notices).toEqual([]);
      await turn(HOUR);
      expect(await listed()).toMatchObject({ status: 'auto_paused', failures: 5, next_run_at: null });
      await eventually(() => expect(actions.notices).toHaveLength(1));
      expect(actions.notices).toMatchObject(
        [{ agentId: maker.id, level: 'error', message: /It did not work/ }].map((notice) => ({
          ...notice,
          message: expect.stringMatching(notice.message),
        })),
      );
      await turn(3 * HOUR);
      expect(await executions()).toHaveLength(5);
      expect(await act('resume')).toMatchObject({ ok: true, value: { status: 'active' } });
      expect(await listed()).toMatchObject({ status: 'active', failures: 0 });
      actions.script = () => undefined;
      await turn(HOUR);
      expect(await listed()).toMatchObject({ failures: 0, runs: 6 });
      expect(actions.notices).toHaveLength(1);
      await act('delete');
    });

    test('an event wakes it once, if its filter lets it in, and its words reach nobody', async () => {
      const { host, acme, rival } = bed();
      const {
        idle,
        executions,
        do: act,
      } = await scheduled({
        event_trigger: { type: 'note.made', filter: '$.data[?@ == "loud"]' },
        schedule_actions: [{ type: 'custom', prompt: 'Look at it.' }],
      });
      const publish = (organizationId: string, volume: string) =>
        host.events.publishNow({
          organizationId,
          source: 'test',
          type: 'note.made',
          subject: 'note_1',
          data: { volume },
        });
      await publish(rival.id, 'loud');
      await publish(acme.id, 'quiet');
      await publish(acme.id, 'loud');
      await eventually(async () => expect(await executions()).toHaveLength(1));
      await idle();
      expect(actions.said()).toEqual(['run Look at it.\n\nWoken by the event note.made about note_1.']);
      await act('pause');
      await publish(acme.id, 'loud');
      await act('resume');
      await publish(acme.id, 'loud');
      await eventually(async () => expect(await executions('completed')).toHaveLength(2));
      await act('delete');
      await publish(acme.id, 'loud');
      const { id } = await scheduled({ event_trigger: { type: 'note.*' } });
      const last = await publish(acme.id, 'last');
      await eventually(async () => {
        const { schedules } = bed().services;
        const waked = (await schedules.executions.list(acme.id, { limit: 200 })).filter(
          (one) => one.schedule_id === id,
        );
        expect(waked).toHaveLength(1);
      });
      expect(last.type).toBe('note.made');
      expect(await executions()).toHaveLength(2);
    });

    test('what an agent and its owner say to each other wakes no schedule of another agent, and no filter of it reads it', async () => {
      const { host, acme, store } = bed();
      const held = { schedule_actions: [STAR], approval_policy: 'council_approve' };
      const filter = '$.data[?@ == "secret"]';
      // Reads more of any event than a filter may, which is counted.
      const greedy = '$..[?count($..[?count($..[?count($..[?count($..*) > 0]) > 0]) > 0]) > 0]';
      const triggers = [
        { type: '*', filter },
        ...['question.*', 'question.asked', 'notification.created'].flatMap((type) => [
          { type },
          { type, filter },
          { type, filter: greedy },
        ]),
      ];
      const spies = [];
      for (const event_trigger of triggers) spies.push(await scheduled({ ...held, event_trigger }));
      const about = await scheduled({ ...held, event_trigger: { type: '*', filter } });
      const agentId = about.maker.id;
      const said = [
        { type: 'question.asked', data: { agentId, question: 'secret' } },
        { type: 'question.answered', data: { agentId, answer: 'secret' } },
        { type: 'notification.created', data: { agentId, message: 'secret' } },
      ];
      const event = { organizationId: acme.id, source: 'test' };
      for (const one of said) await host.events.publishNow({ ...event, ...one });
      await host.events.publishNow({ ...event, type: 'question.asked', data: { question: 'secret' } });
      await eventually(async () => expect(await about.executions()).toHaveLength(said.length));
      await eventually(async () =>
        expect(await host.events.history.deliveries(acme.id, { limit: 100, status: 'pending' })).toEqual([]),
      );
      for (const spy of spies) expect(await spy.executions()).toEqual([]);
      const read = await store
        .db<{ event_subscriptions: { target_id: string; filter_failures: number } }>()
        .selectFrom('event_subscriptions')
        .select('target_id')
        .where('filter_failures', '>', 0)
        .execute();
      expect(read).toEqual([]);
      for (const each of [...spies, about]) await each.do('delete');
    });

    once('one that wakes itself is held to 60 times in an hour', async () => {
      const { host, acme } = bed();
      const { executions, do: act } = await scheduled({
        event_trigger: { type: 'storm.*' },
        approval_policy: 'council_approve',
      });
      const storm = Array.from({ length: 70 }, () => ({
        organizationId: acme.id,
        source: 'test',
        type: 'storm.blew',
      }));
      await host.store.transaction((tx) => host.events.publishAll(tx, storm));
      await eventually(async () => expect(await executions()).toHaveLength(60));
      const deferred = await host.events.history.deliveries(acme.id, { limit: 100, status: 'pending' });
      expect(await executions()).toHaveLength(60);
      expect(deferred.length).toBeGreaterThan(0);
      await act('delete');
    });

    test('an execution whose work was given up has failed, and its place is free', async () => {
      const { services, store, clock } = bed();
      const { executions, do: act, idle } = await scheduled({ interval_minutes: 60 });
      await act('run_now');
      await idle();
      // As a crash leaves it that no worker comes back from.
      const lost = { status: 'running', task_id: 'task_gone' } as const;
      const [row] = await executions();
      await store
        .db<ScheduleTables>()
        .updateTable('schedule_executions')
        .set(lost)
        .where('id', '=', row?.id ?? '')
        .execute();
      clock.nowMs += 2 * MINUTE;
      await services.schedules.check();
      expect(await executions()).toMatchObject([{ status: 'failed', result: 'The work was given up.' }]);
      expect(await act('run_now')).toMatchObject({ ok: true });
      await idle();
      await act('delete');
    });

    test('a history is kept for 90 days, also of what was deleted', async () => {
      const { services, clock, store } = bed();
      const { id, do: act, idle } = await scheduled({ interval_minutes: 60 });
      await act('run_now');
      await idle();
      await act('delete');
      clock.nowMs += 89 * 24 * HOUR;
      await services.sweep();
      expect(await act('history')).toMatchObject({
        value: {
          executions: [
            { action_type: 'star_repo', status: 'completed', result: 'star_repo: starred acme/app' },
          ],
        },
      });
      clock.nowMs += 2 * 24 * HOUR;
      await services.sweep();
      expect(await act('history')).toMatchObject({ ok: false, code: 'not_found' });
      const left = await store
        .db<ScheduleTables>()
        .selectFrom('agent_schedules')
        .select('id')
        .where('id', '=', id)
        .execute();
      expect(left).toEqual([]);
    });
  },
  () => actingBed((made = scriptedActions())),
);
