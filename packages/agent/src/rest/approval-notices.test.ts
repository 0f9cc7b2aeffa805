/** What the owner hears of executions that wait: one notification with the way to answer, and none more until that is over. */
import { expect, test } from 'vitest';
import { onBothBeds } from '../../test/agent-bed.ts';
import { servedUntilEnd } from '../../test/rest-server.ts';

const TOOL = 'corvid_manage_schedule';
const HOUR = 60 * 60_000;
const WORK = { type: 'work_task' as const, description: 'Mend it.' };
const STAR = { type: 'star_repo' as const, repos: ['acme/app'] };

onBothBeds('notices of approvals', (bed) => {
  const scheduled = async (input: object) => {
    const { acme, agent, client, services, clock } = bed();
    const maker = await agent(acme.member.caller);
    const tools = await client(maker.caller);
    const wanted = { action: 'create' as const, name: 'Nightly', interval_minutes: 60, ...input };
    const { id: schedule_id = '' } = await tools.call(TOOL, { schedule_actions: [WORK], ...wanted });
    const ask = await servedUntilEnd(bed());
    interface Told {
      readonly agent: { readonly id: string };
      readonly title: string;
      readonly message: string;
      readonly level: string;
    }
    return {
      ask,
      async turn(byMs: number) {
        clock.nowMs += byMs;
        await services.schedules.check();
      },
      async waiting() {
        const all = await services.schedules.executions.list(acme.id, { status: 'waiting', limit: 200 });
        return all.filter((one) => one.schedule_id === schedule_id).map(({ id }) => id);
      },
      async told(): Promise<Told[]> {
        const { json } = await ask(acme.owner.key, 'GET', '/api/notifications');
        const { notifications } = json.data as { notifications: Told[] };
        return notifications.filter((one) => one.agent.id === maker.id);
      },
      end: () => tools.call(TOOL, { action: 'delete', schedule_id }),
    };
  };

  test('one that waits tells the owner once, with the command and the route that approve it', async () => {
    const { acme, rival } = bed();
    const { ask, turn, told, waiting, end } = await scheduled({});
    await turn(HOUR);
    const [first = ''] = await waiting();
    expect(await told()).toMatchObject([{ level: 'warning', title: 'Waits for approval: Nightly' }]);
    const [{ message } = { message: '' }] = await told();
    expect(message).toContain(`parley executions approve ${first}`);
    const [route = ''] = /\/api\/executions\/\S+\/approve/.exec(message) ?? [];
    expect(message).toContain('work_task');
    expect((await ask(rival.owner.key, 'GET', '/api/notifications')).text).not.toContain(first);
    // More of the same while nobody has answered.
    await turn(HOUR);
    await turn(HOUR);
    expect(await waiting()).toHaveLength(3);
    expect(await told()).toHaveLength(1);
    expect((await ask(acme.owner.key, 'POST', route)).status).toBe(200);
    for (const id of await waiting()) await ask(acme.owner.key, 'POST', `/api/executions/${id}/deny`);
    await turn(HOUR);
    expect(await told()).toHaveLength(2);
    await end();
  });

  test('one that lapses says nothing more, and the next one asks anew', async () => {
    const { turn, told, waiting, end } = await scheduled({ interval_minutes: 24 * 60 });
    await turn(24 * HOUR);
    expect(await told()).toHaveLength(1);
    const before = await waiting();
    await turn(24 * HOUR);
    const after = await waiting();
    expect(after).toHaveLength(1);
    expect(after).not.toEqual(before);
    expect(await told()).toHaveLength(2);
    await end();
    await turn(48 * HOUR);
    expect(await told()).toHaveLength(2);
  });

  test('a council is asked as two people; what needs no approval asks nobody', async () => {
    const council = await scheduled({ approval_policy: 'council_approve', schedule_actions: [STAR] });
    const free = await scheduled({ schedule_actions: [STAR] });
    await council.turn(HOUR);
    expect(await council.told()).toMatchObject([{ message: expect.stringContaining('Two people approve') }]);
    expect(await free.told()).toEqual([]);
    await council.end();
    await free.end();
  });
});
