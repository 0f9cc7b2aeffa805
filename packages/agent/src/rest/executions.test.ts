/** The word of people on executions, over HTTP: who has to agree, what runs before and after, and who has no say. */
import { eventually } from '@parley/test-support/eventually';
import { beforeEach, expect, test } from 'vitest';
import { onBothBeds } from '../../test/agent-bed.ts';
import type { ScriptedActions } from '../../test/scripted-actions.ts';
import { actingBed, scriptedActions } from '../../test/scripted-actions.ts';
import { servedUntilEnd } from '../../test/rest-server.ts';
import { actingOf } from '../session.ts';
import type { Policy, ScheduleAction } from '../services/schedules/schema.ts';

const WORK: ScheduleAction = { type: 'work_task', description: 'Mend it.' };
const STAR: ScheduleAction = { type: 'star_repo', repos: ['acme/app'] };
const TELL: ScheduleAction = { type: 'send_message', to_agent_id: 'agt_other', message: 'Mend it. [WORK]' };
const TELL_WORK: ScheduleAction = { ...TELL, message: '[WORK] Mend it.' };
const COUNCIL_WORK: ScheduleAction = { type: 'council_launch', message: '[WORK] Mend it.' };
const DAY = 24 * 60 * 60_000;

let made: ScriptedActions;

onBothBeds(
  'executions',
  (bed) => {
    const actions = made;
    beforeEach(() => {
      actions.deeds.length = 0;
    });

    interface Wanted {
      readonly action?: ScheduleAction;
      readonly policy?: Policy;
      readonly how?: 'attended' | 'unattended' | 'web';
    }

    /** An execution of a new schedule. */
    const executed = async ({ action = WORK, policy = 'owner_approve', how = 'attended' }: Wanted) => {
      const { acme, agent, services } = bed();
      const { schedules, callers } = services;
      const { id: agentId } = await agent(acme.member.caller);
      const caller = await callers.acting({
        organizationId: acme.id,
        agentId,
        source: how === 'web' ? 'web' : 'key',
        sessionSource: how === 'web' ? 'web' : 'api',
        depth: 1,
        unattended: how === 'unattended',
      });
      if (caller === undefined) throw new Error('The agent is not there.');
      const acting = actingOf(caller);
      const timing = { kind: 'interval', minutes: 525_600 } as const;
      const { id } = await schedules.create(acting, { name: 'Often', timing, actions: [action], policy });
      const { id: execution, status } = await schedules.runNow(acting, id);
      return { id, acting, execution, status, history: () => schedules.history(acting, id) };
    };

    test.each<[waits: boolean, Wanted]>([
      [true, { action: WORK, policy: 'owner_approve' }],
      [false, { action: STAR, policy: 'owner_approve' }],
      [true, { action: WORK, policy: 'auto' }],
      [false, { action: STAR, policy: 'auto' }],
      [false, { action: WORK, policy: 'auto', how: 'web' }],
      [true, { action: STAR, policy: 'council_approve', how: 'web' }],
      [true, { action: STAR, policy: 'auto', how: 'unattended' }],
      // A message that makes a work task is one.
      ...[TELL_WORK, COUNCIL_WORK].flatMap((action): [boolean, Wanted][] => [
        [true, { action, policy: 'owner_approve' }],
        [true, { action, policy: 'owner_approve', how: 'web' }],
        [true, { action, policy: 'auto' }],
        [true, { action, policy: 'auto', how: 'unattended' }],
        [true, { action, policy: 'council_approve', how: 'web' }],
      ]),
      [false, { action: TELL_WORK, policy: 'auto', how: 'web' }],
      [false, { action: TELL, policy: 'owner_approve' }],
    ])('waits for a word: %s, for %o', async (waits, wanted) => {
      const { status, history } = await executed(wanted);
      expect(status).toBe(waits ? 'waiting' : 'running');
      if (!waits)
        await eventually(async () => expect(await history()).toMatchObject([{ status: 'completed' }]));
      expect(actions.deeds).toHaveLength(waits ? 0 : 1);
    });

    test('what a person allowed in the console is not allowed for what an agent makes of it', async () => {
      const { services, acme } = bed();
      const { id, acting } = await executed({ action: STAR, policy: 'auto', how: 'web' });
      const asItself = { ...acting, source: 'api' as const };
      await services.schedules.update(asItself, id, { actions: [WORK] });
      await eventually(async () =>
        expect(await services.schedules.history(acting, id)).toMatchObject([{ status: 'completed' }]),
      );
      expect(await services.schedules.runNow(acting, id)).toMatchObject({ status: 'waiting' });
      expect(acme.id).toBe(acting.organizationId);
    });

    test('check 41: owner_approve waits for approval, and runs after it, once', async () => {
      const { acme } = bed();
      const ask = await servedUntilEnd(bed());
      const { execution, history, id } = await executed({});
      const waiting = await ask(acme.member.key, 'GET', '/api/executions?status=waiting');
      expect(waiting.json.data).toContainEqual(
        expect.objectContaining({
          id: execution,
          schedule_id: id,
          actions: [WORK],
          approvals: 0,
          approvals_needed: 1,
        }),
      );
      expect(actions.deeds).toEqual([]);
      const approved = await ask(acme.member.key, 'POST', `/api/executions/${execution}/approve`);
      expect(approved).toMatchObject({ status: 200, json: { data: { id: execution, approvals: 1 } } });
      await eventually(async () => expect(await history()).toMatchObject([{ status: 'completed' }]));
      expect(actions.said()).toEqual(['work Mend it.']);
      const again = await ask(acme.owner.key, 'POST', `/api/executions/${execution}/approve`);
      expect(again.status).toBe(409);
      expect((await ask(acme.member.key, 'GET', '/api/executions?status=waiting')).text).not.toContain(
        execution,
      );
    });

    test('check 41: what is denied runs nothing and counts as no failure', async () => {
      const { acme, services } = bed();
      const ask = await servedUntilEnd(bed());
      const { execution, history, acting } = await executed({});
      expect(await ask(acme.owner.key, 'POST', `/api/executions/${execution}/deny`)).toMatchObject({
        status: 200,
        json: { data: { status: 'denied' } },
      });
      expect((await ask(acme.owner.key, 'POST', `/api/executions/${execution}/approve`)).status).toBe(409);
      await services.schedules.check();
      expect(await history()).toMatchObject([{ status: 'denied' }]);
      expect(await services.schedules.list(acting)).toMatchObject([
        { status: 'active', runs: 0, failures: 0 },
      ]);
      expect(actions.deeds).toEqual([]);
    });

    test('a council is two different people, however often one of them says yes', async () => {
      const { acme } = bed();
      const ask = await servedUntilEnd(bed());
      const { execution, history } = await executed({ policy: 'council_approve', action: STAR });
      const approve = async (key: string) =>
        (await ask(key, 'POST', `/api/executions/${execution}/approve`)).json.data;
      for (let time = 0; time < 2; time += 1)
        expect(await approve(acme.owner.key)).toMatchObject({
          status: 'waiting',
          approvals: 1,
          approvals_needed: 2,
        });
      expect(actions.deeds).toEqual([]);
      expect(await approve(acme.member.key)).toMatchObject({ approvals: 2 });
      await eventually(async () => expect(await history()).toMatchObject([{ status: 'completed' }]));
    });

    test('nobody but the people of the organization has a say', async () => {
      const { acme, rival, agent } = bed();
      const ask = await servedUntilEnd(bed());
      const { execution } = await executed({});
      const { key } = await agent(acme.member.caller);
      for (const verb of ['approve', 'deny']) {
        const foreign = await ask(rival.owner.key, 'POST', `/api/executions/${execution}/${verb}`);
        const unknown = await ask(rival.owner.key, 'POST', `/api/executions/exec_${'0'.repeat(26)}/${verb}`);
        expect(foreign.status).toBe(404);
        expect(foreign.json.error).toEqual(unknown.json.error);
        expect((await ask(key, 'POST', `/api/executions/${execution}/${verb}`)).status).toBe(403);
      }
      expect((await ask(key, 'GET', '/api/executions')).status).toBe(403);
      expect((await ask(rival.owner.key, 'GET', '/api/executions')).text).not.toContain(execution);
      expect((await ask(acme.owner.key, 'GET', '/api/executions?status=nope')).status).toBe(400);
      expect(actions.deeds).toEqual([]);
    });

    test('what nobody answers for a day is cancelled, and counts as no failure', async () => {
      const { acme, clock, services } = bed();
      const { execution, acting } = await executed({});
      const found = async () => {
        const all = await services.schedules.executions.list(acme.id, { limit: 200 });
        return all.find(({ id }) => id === execution);
      };
      clock.nowMs += DAY - 1;
      await services.schedules.check();
      expect(await found()).toMatchObject({ status: 'waiting' });
      clock.nowMs += 1;
      await services.schedules.check();
      expect(await found()).toMatchObject({ status: 'cancelled', result: 'Nobody approved it in time.' });
      expect(await services.schedules.list(acting)).toMatchObject([{ failures: 0 }]);
      expect(actions.deeds).toEqual([]);
    });
  },
  () => actingBed((made = scriptedActions())),
);
