/** What people see of an agent's schedules, workflows and memories over HTTP, what they do about them, and who does not. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onBothBeds } from '../../test/agent-bed.ts';
import type { RestServer } from '../../test/rest-server.ts';
import { serveRest } from '../../test/rest-server.ts';
import { graph } from '../../test/workflow-graphs.ts';
import { actingOf } from '../session.ts';

const SMALL = graph({ s: ['start'], e: ['end'] }, ['s e']);
const TIMING = { kind: 'interval', minutes: 60 } as const;
const WORK = { type: 'work_task', description: 'Mend it.' } as const;

onBothBeds('the desk of an agent', (bed) => {
  let rest: RestServer;
  beforeAll(async () => {
    rest = await serveRest(bed());
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  const keyWith = async (...names: string[]) => {
    const { acme, identity } = bed();
    const grants = { agent: names };
    return (await identity.createKey(acme.member.caller, { name: 'Clerk', grants, expiresAt: null })).text;
  };
  /** An agent with one thing of each kind. */
  const furnished = async () => {
    const { acme, agent, services } = bed();
    const made = await agent(acme.member.caller);
    const acting = actingOf(made.caller);
    const schedule = await services.schedules.create(acting, {
      name: 'Often',
      timing: TIMING,
      actions: [WORK],
    });
    const workflow = await services.workflows.create(acting, { name: 'Flow', graph: SMALL });
    await services.memories.save(acting, { key: 'tea', content: 'Green, without sugar.' });
    return { ...made, acting, scheduleId: schedule.id, workflowId: workflow.id };
  };
  const ids = ({ json }: { json: { data: { id: string }[] } }) => json.data.map(({ id }) => id);

  test('people see what there is, page by page, and it stays as it was', async () => {
    const { acme, clock, services } = bed();
    const { id, acting, scheduleId, workflowId } = await furnished();
    const at = `/api/agents/${id}`;
    const get = (path: string) => rest.ask(acme.member.key, 'GET', `${at}${path}`);
    expect(await get('/schedules')).toMatchObject({
      status: 200,
      json: {
        data: [
          {
            id: scheduleId,
            name: 'Often',
            status: 'active',
            policy: 'owner_approve',
            timing: TIMING,
            actions: [WORK],
            failures: 0,
          },
        ],
      },
    });
    expect((await get('/workflows')).json.data).toEqual([{ id: workflowId, name: 'Flow', status: 'draft' }]);
    expect((await get(`/workflows/${workflowId}`)).json.data).toMatchObject({
      nodes: [{ id: 's' }, { id: 'e' }],
      edges: [{ sourceNodeId: 's', targetNodeId: 'e' }],
    });

    await services.workflows.setStatus(acting, workflowId, 'active');
    const runs: string[] = [];
    for (let made = 0; made < 3; made += 1) {
      clock.nowMs += 1;
      runs.unshift((await services.workflows.trigger(acting, workflowId, {})).id);
    }
    const runsAt = `/workflows/${workflowId}/runs`;
    expect(ids(await get(`${runsAt}?limit=2`))).toEqual(runs.slice(0, 2));
    expect(ids(await get(`${runsAt}?limit=2&before=${runs[1]}`))).toEqual(runs.slice(2));
    expect((await get(`/workflow-runs/${runs[0]}`)).json.data).toMatchObject({
      id: runs[0],
      status: 'running',
      nodes: [],
    });

    const executions: string[] = [];
    for (let made = 0; made < 3; made += 1) {
      clock.nowMs += 1;
      const { id: execution } = await services.schedules.runNow(acting, scheduleId);
      executions.unshift(execution);
      await services.schedules.executions.deny(acme.owner.caller, execution);
    }
    const doneAt = `/schedules/${scheduleId}/executions`;
    expect(ids(await get(`${doneAt}?limit=2`))).toEqual(executions.slice(0, 2));
    expect(ids(await get(`${doneAt}?limit=2&before=${executions[1]}`))).toEqual(executions.slice(2));
    for (const wrong of ['zzz', '', `${executions[0]}x`, runs[0]])
      expect([wrong, (await get(`${doneAt}?before=${wrong}`)).status]).toEqual([wrong, 400]);
    for (const wrong of ['zzz', executions[0]])
      expect([wrong, (await get(`${runsAt}?before=${wrong}`)).status]).toEqual([wrong, 400]);
    expect((await get(doneAt)).json.data[0]).toMatchObject({ status: 'denied', actions: [WORK] });

    const tea = { key: 'tea', content: 'Green, without sugar.', signature: 'valid', archived: false };
    for (const asked of ['', '?key=tea', '?query=gree'])
      expect((await get(`/memories${asked}`)).json.data).toMatchObject({ memories: [tea], total: 1 });
    expect((await get('/memories?key=coffee')).json.data).toEqual({ memories: [], total: 0 });
    for (const asked of ['?key=tea&query=gree', '?key=', '?before=x', `?query=${'q'.repeat(501)}`])
      expect([asked, (await get(`/memories${asked}`)).status]).toEqual([asked, 400]);
    expect((await services.memories.recall(acting, { limit: 20 })).total).toBe(1);
  });

  test('people stop a schedule, let it go on and run it, each in the audit log', async () => {
    const { acme, identity, services } = bed();
    const told: unknown[] = [];
    identity.audit.follow(async (_tx, { action, target, caller }) => {
      if (action.startsWith('schedule.')) told.push([action, target, caller.userId]);
    });
    const { id, acting, scheduleId } = await furnished();
    const post = (verb: string) =>
      rest.ask(acme.member.key, 'POST', `/api/agents/${id}/schedules/${scheduleId}/${verb}`);
    const status = async () => (await services.schedules.list(acting))[0]?.status;
    expect((await post('pause')).json.data).toEqual({ id: scheduleId, status: 'paused' });
    expect(await status()).toBe('paused');
    expect((await post('resume')).json.data).toEqual({ id: scheduleId, status: 'active' });
    expect(await status()).toBe('active');
    const run = await post('run');
    // What waits for a word otherwise waits here too.
    expect(run).toMatchObject({ status: 200, json: { data: { status: 'waiting' } } });
    expect((await post('run')).status).toBe(409);
    const waiting = await rest.ask(acme.member.key, 'GET', '/api/executions?status=waiting');
    expect(ids(waiting)).toContain(run.json.data.execution_id);
    // The agent itself is in the records of calls.
    await services.schedules.pause(acting, scheduleId);
    expect(told).toEqual(
      ['paused', 'resumed', 'run'].map((verb) => [`schedule.${verb}`, scheduleId, acme.member.caller.userId]),
    );
  });

  test('whoever manages agents with fewer tools may stop it, and nothing more', async () => {
    const { services } = bed();
    const { id, acting, scheduleId } = await furnished();
    const clerk = await keyWith('agents_manage', 'corvid_list_agents');
    const post = async (verb: string) =>
      (await rest.ask(clerk, 'POST', `/api/agents/${id}/schedules/${scheduleId}/${verb}`)).status;
    expect([await post('pause'), await post('resume'), await post('run')]).toEqual([200, 403, 403]);
    expect(await services.schedules.list(acting)).toMatchObject([{ status: 'paused', runs: 0 }]);
    expect(await services.schedules.history(acting, scheduleId)).toEqual([]);
  });

  const PATHS = (agent: string, schedule: string, workflow: string, run: string): [string, string][] => [
    ['GET', `/api/agents/${agent}/schedules`],
    ['GET', `/api/agents/${agent}/schedules/${schedule}/executions`],
    ['POST', `/api/agents/${agent}/schedules/${schedule}/pause`],
    ['POST', `/api/agents/${agent}/schedules/${schedule}/resume`],
    ['POST', `/api/agents/${agent}/schedules/${schedule}/run`],
    ['GET', `/api/agents/${agent}/workflows`],
    ['GET', `/api/agents/${agent}/workflows/${workflow}`],
    ['GET', `/api/agents/${agent}/workflows/${workflow}/runs`],
    ['GET', `/api/agents/${agent}/workflow-runs/${run}`],
    ['GET', `/api/agents/${agent}/memories`],
  ];

  test('what is of another organization, or of another agent, is not there', async () => {
    const { acme, rival, services } = bed();
    const { id, acting, scheduleId, workflowId } = await furnished();
    await services.workflows.setStatus(acting, workflowId, 'active');
    const { id: runId } = await services.workflows.trigger(acting, workflowId, {});
    const other = await furnished();
    const asked = async (key: string, paths: readonly (readonly [string, string])[]) => {
      const answers = [];
      for (const [method, path] of paths) {
        const { status, text } = await rest.ask(key, method, path);
        answers.push([status, text]);
      }
      return answers;
    };
    const unknown = await asked(rival.owner.key, PATHS('agt_nobody', 'sched_x', 'wf_x', 'run_x'));
    expect(new Set(unknown.map(([status]) => status))).toEqual(new Set([404]));
    expect(await asked(rival.owner.key, PATHS(id, scheduleId, workflowId, runId))).toEqual(unknown);
    // By the id of a colleague of the agent, whose own things are others.
    const below = (paths: ReturnType<typeof PATHS>) =>
      paths.filter(([, path]) => !/(?:schedules|workflows|memories)$/.test(path));
    const named = await asked(acme.owner.key, below(PATHS(other.id, scheduleId, workflowId, runId)));
    expect(named).toEqual(await asked(acme.owner.key, below(PATHS(other.id, 'sched_x', 'wf_x', 'run_x'))));
    expect(new Set(named.map(([status]) => status))).toEqual(new Set([404]));
    expect(await services.schedules.list(acting)).toMatchObject([{ status: 'active', runs: 0 }]);
  });

  test('each route asks for its right, and the key of the agent itself has none of them', async () => {
    const { id, key, scheduleId, workflowId } = await furnished();
    const readers = await keyWith('agents_read');
    for (const [method, path] of PATHS(id, scheduleId, workflowId, 'run_x')) {
      expect([path, (await rest.ask(key, method, path)).status]).toEqual([path, 403]);
      const isRead = method === 'GET' && !/(?:executions|memories)$/.test(path);
      const wanted = path.endsWith('run_x') ? 404 : 200;
      expect([path, (await rest.ask(readers, method, path)).status]).toEqual([path, isRead ? wanted : 403]);
    }
  });
});
