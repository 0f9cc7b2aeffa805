/** Schedules as their agent has them: what each action needs and answers, and that another agent's are not there. */
import { expect, test } from 'vitest';
import { onBothBeds } from '../../test/agent-bed.ts';
import { actingBed, scriptedActions } from '../../test/scripted-actions.ts';
import type { ScheduleTables } from '../services/schedules/schema.ts';
import { agentTools } from './index.ts';

const TOOL = 'corvid_manage_schedule';
const STAR = { type: 'star_repo' as const, repos: ['acme/app'] };
const HOURLY = { action: 'create' as const, name: 'Hourly', interval_minutes: 60, schedule_actions: [STAR] };

const REFUSED: [name: string, input: Record<string, unknown>, code: string, message: RegExp][] = [
  ['no name', { name: undefined }, 'invalid', /^name: create needs it/],
  ['no timing', { interval_minutes: undefined }, 'invalid', /^cron_expression: create needs it/],
  ['two timings', { cron_expression: '0 9 * * *' }, 'invalid', /only one of/],
  ['no actions', { schedule_actions: undefined }, 'invalid', /^schedule_actions: create needs it/],
  ['no id', { action: 'pause' }, 'invalid', /^schedule_id: pause needs it/],
  [
    'six fields',
    { interval_minutes: undefined, cron_expression: '0 0 9 * * *' },
    'invalid_cron',
    /five fields/,
  ],
  [
    'no cron',
    { interval_minutes: undefined, cron_expression: 'a b c d e' },
    'invalid_cron',
    /cannot be read/,
  ],
  [
    'never',
    { interval_minutes: undefined, cron_expression: '0 0 31 2 *' },
    'invalid_cron',
    /no time to come/,
  ],
  [
    'no zone',
    { interval_minutes: undefined, cron_expression: '0 9 * * *', timezone: 'Mars/Olympus' },
    'invalid',
    /^timezone: /,
  ],
  ['a zone without a cron', { timezone: 'UTC' }, 'invalid', /^timezone: /],
  [
    'a filter that is none',
    { interval_minutes: undefined, event_trigger: { type: 'a.b', filter: '$[' } },
    'invalid',
    /^filter: /,
  ],
  [
    'a pattern that is none',
    { interval_minutes: undefined, event_trigger: { type: 'a b' } },
    'invalid',
    /no event type/,
  ],
  [
    'stars of nothing',
    { schedule_actions: [{ type: 'star_repo' }] },
    'invalid',
    /repos: a star_repo action needs repos$/,
  ],
  [
    'nothing to do',
    { schedule_actions: [{ type: 'custom' }] },
    'invalid',
    /^schedule_actions\.0\.prompt: a custom action needs a prompt$/,
  ],
  [
    'a message to nobody',
    { schedule_actions: [{ type: 'send_message', message: 'x' }] },
    'invalid',
    /to_agent_id/,
  ],
  ['an unknown field', { cron: '0 9 * * *' }, 'invalid', /cron/],
  ['too long a wait', { interval_minutes: 525_601 }, 'invalid', /^interval_minutes/],
  [
    '11 actions',
    { schedule_actions: Array.from({ length: 11 }, () => STAR) },
    'invalid',
    /^schedule_actions/,
  ],
  ...['../x', 'a/b/c', 'a/..', '-a/b'].map((repo): [string, Record<string, unknown>, string, RegExp] => [
    `the repository ${repo}`,
    { schedule_actions: [{ type: 'star_repo', repos: [repo] }] },
    'invalid',
    /owner\/name/,
  ]),
];

onBothBeds(
  'manage_schedule',
  (bed) => {
    const asAgent = async () => {
      const { acme, agent, client } = bed();
      const made = await agent(acme.member.caller);
      return { made, tools: await client(made.caller) };
    };

    test('it is made, listed, changed, paused, resumed, looked at and deleted', async () => {
      const { tools } = await asAgent();
      const { id = '', ...made } = await tools.call(TOOL, {
        ...HOURLY,
        interval_minutes: undefined,
        cron_expression: '0 9 * * *',
        timezone: 'Europe/Berlin',
      });
      expect(made).toEqual({
        name: 'Hourly',
        status: 'active',
        next_run_at: ['2030-01-01T08:00:00.000Z', '2030-01-02T08:00:00.000Z', '2030-01-03T08:00:00.000Z'],
      });
      expect(await tools.call(TOOL, { action: 'list' })).toEqual({
        schedules: [
          {
            id,
            name: 'Hourly',
            status: 'active',
            runs: 0,
            failures: 0,
            next_run_at: '2030-01-01T08:00:00.000Z',
          },
        ],
      });
      const moved = await tools.call(TOOL, {
        action: 'update',
        schedule_id: id,
        timezone: 'UTC',
        name: 'Daily',
      });
      expect(moved).toMatchObject({
        name: 'Daily',
        next_run_at: [
          expect.stringContaining('T09:00'),
          '2030-01-02T09:00:00.000Z',
          '2030-01-03T09:00:00.000Z',
        ],
      });
      expect(await tools.call(TOOL, { action: 'pause', schedule_id: id })).toEqual({ id, status: 'paused' });
      expect(await tools.call(TOOL, { action: 'list' })).toMatchObject({
        schedules: [{ status: 'paused', next_run_at: null }],
      });
      expect(await tools.call(TOOL, { action: 'resume', schedule_id: id })).toEqual({ id, status: 'active' });
      expect(await tools.call(TOOL, { action: 'history', schedule_id: id })).toEqual({ executions: [] });
      expect(await tools.call(TOOL, { action: 'delete', schedule_id: id })).toEqual({ id, deleted: true });
      expect(await tools.call(TOOL, { action: 'list' })).toEqual({ schedules: [] });
      // What it did can still be looked at; nothing else is left of it.
      expect(await tools.call(TOOL, { action: 'history', schedule_id: id })).toEqual({ executions: [] });
      expect(await tools.attempt(TOOL, { action: 'delete', schedule_id: id })).toMatchObject({
        code: 'not_found',
      });
      expect(await tools.attempt(TOOL, { action: 'resume', schedule_id: id })).toMatchObject({
        code: 'not_found',
      });
    });

    test('check 39: firings less than 5 minutes apart are too_frequent; 5 minutes pass', async () => {
      const { tools } = await asAgent();
      const create = (timing: object) =>
        tools.attempt(TOOL, { ...HOURLY, interval_minutes: undefined, ...timing });
      for (const timing of [
        { interval_minutes: 4 },
        { cron_expression: '*/4 * * * *' },
        { cron_expression: '0,2 9 * * *' },
        { cron_expression: '* * * * *' },
      ])
        expect(await create(timing)).toMatchObject({ ok: false, code: 'too_frequent' });
      for (const timing of [{ interval_minutes: 5 }, { cron_expression: '*/5 * * * *' }])
        expect(await create(timing)).toMatchObject({ ok: true });
      expect((await tools.call(TOOL, { action: 'list' })).schedules).toHaveLength(2);
    });

    test('what cannot be kept is refused by its field, and nothing is made', async () => {
      const { tools } = await asAgent();
      for (const [name, input, code, message] of REFUSED) {
        // What an unknown client may send.
        const given = { ...HOURLY, ...input } as typeof HOURLY;
        const expected = { ok: false, code, message: expect.stringMatching(message) };
        expect(await tools.attempt(TOOL, given), name).toMatchObject(expected);
      }
      expect(await tools.call(TOOL, { action: 'list' })).toEqual({ schedules: [] });
    });

    test('what would fail as things are is made, and says why in the words that it would fail with', async () => {
      const { acme, agent, client } = bed();
      const without = await agent(acme.member.caller, { tools: [TOOL] });
      const tools = await client(without.caller);
      const message = 'The agent does not have corvid_github_star_repo. Give it the tool first.';
      const { id = '', warnings } = await tools.call(TOOL, {
        ...HOURLY,
        schedule_actions: [{ type: 'custom', prompt: 'x' }, STAR],
      });
      expect(warnings).toEqual([`schedule_actions.1: ${message}`]);
      const { execution_id = '' } = await tools.call(TOOL, { action: 'run_now', schedule_id: id });
      await expect
        .poll(async () => (await tools.call(TOOL, { action: 'history', schedule_id: id })).executions)
        .toMatchObject([{ id: execution_id, status: 'failed' }]);
      const row = await bed()
        .store.db<ScheduleTables>()
        .selectFrom('schedule_executions')
        .select('result')
        .where('id', '=', execution_id)
        .executeTakeFirstOrThrow();
      expect(row.result).toBe(`custom: did x\nstar_repo: forbidden: ${message}`);
      // A list shows the beginning, and that it is one.
      const { executions = [] } = await tools.call(TOOL, { action: 'history', schedule_id: id });
      expect(executions[0]?.result).toBe(`${row.result?.slice(0, 99)}\u2026`);
      await bed().services.agents.update(acme.member.caller, without.id, {
        tools: [TOOL, 'corvid_github_star_repo'],
      });
      expect(await tools.call(TOOL, { action: 'update', schedule_id: id, name: 'Now' })).not.toHaveProperty(
        'warnings',
      );
    });

    test('an agent may have 100 schedules', async () => {
      const { tools } = await asAgent();
      const { id = '' } = await tools.call(TOOL, HOURLY);
      const db = bed().store.db<ScheduleTables>();
      const row = await db
        .selectFrom('agent_schedules')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      const more = Array.from({ length: 98 }, (_, index) => ({ ...row, id: `${id}_${index}` }));
      await db.insertInto('agent_schedules').values(more).execute();
      expect(await tools.attempt(TOOL, HOURLY)).toMatchObject({ ok: true });
      expect(await tools.attempt(TOOL, HOURLY)).toMatchObject({ code: 'limit_reached' });
    });

    test('check 42: the schedule of another agent is not there, whatever is asked of it', async () => {
      const { tools } = await asAgent();
      const { id = '' } = await tools.call(TOOL, HOURLY);
      const { acme, rival, agent, client } = bed();
      const strangers = [await agent(acme.member.caller), await agent(rival.owner.caller)];
      const none = `sched_${'0'.repeat(26)}`;
      for (const { caller } of strangers)
        for (const action of ['update', 'delete', 'pause', 'resume', 'run_now', 'history'] as const) {
          const as = await client(caller);
          const asked = (schedule_id: string) => as.attempt(TOOL, { action, schedule_id });
          expect(await asked(id)).toEqual(await asked(none));
          expect(await asked(id)).toMatchObject({ ok: false, code: 'not_found' });
        }
      expect(await tools.call(TOOL, { action: 'list' })).toMatchObject({ schedules: [{ status: 'active' }] });
    });

    test('looking leaves everything as it was, and the tool is gone without its grant', async () => {
      const { acme, agent, client } = bed();
      const none = await agent(acme.member.caller, { tools: [] });
      const tools = await client(none.caller);
      expect(await tools.toolNames()).toEqual([]);
      await expect(tools.raw.callTool({ name: TOOL, arguments: { action: 'list' } })).rejects.toThrow(
        /unknown tool/i,
      );
      expect(agentTools.map(({ name }) => name)).toContain(TOOL);
    });
  },
  () => actingBed(scriptedActions()),
);
