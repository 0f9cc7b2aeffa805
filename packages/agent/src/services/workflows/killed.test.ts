/** Runs of workflows outlive their processes: stopped at every node, or killed in the middle of one, they go on elsewhere. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createEvents } from '@parley/events';
import { createIdentity, roleDefaultsOf } from '@parley/identity';
import { createEgress } from '@parley/kit/egress';
import { openStore } from '@parley/store';
import type { Kind, TaskRun } from '@parley/tasks';
import { createTaskEngine } from '@parley/tasks';
import { eventually } from '@parley/test-support/eventually';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import type { AgentBed } from '../../../test/agent-bed.ts';
import { bareHost } from '../../../test/bare-host.ts';
import { onBothBeds, startAgents } from '../../../test/agent-bed.ts';
import type { ScriptedActions } from '../../../test/scripted-actions.ts';
import { actingBed, scriptedActions } from '../../../test/scripted-actions.ts';
import { graph, WHOLE, WHOLE_NODES } from '../../../test/workflow-graphs.ts';
import { actingOf } from '../../session.ts';
import { agentToolset } from '../../toolset.ts';
import { createAgentServices } from '../index.ts';

/** A process that does one step of a run and nothing after it, as if it had been killed there. */
async function oneStepOf({ store, clock }: AgentBed, actions: ScriptedActions): Promise<void> {
  const now = () => clock.nowMs;
  const onFault = (error: unknown) => {
    throw error;
  };
  const over = Promise.withResolvers<void>();
  let isDead = false;
  const dying = (run: TaskRun): TaskRun => {
    const step: TaskRun['io']['step'] = (key, work) =>
      run.io.step(key, () => {
        if (!isDead) {
          isDead = true;
          return work();
        }
        over.resolve();
        return new Promise<never>(() => undefined);
      });
    const sleep: TaskRun['io']['sleep'] = (key, until) => run.io.sleep(key, until);
    // All that runs of workflows use of it.
    return { ...run, io: { step, sleep } as TaskRun['io'] };
  };
  const engine = createTaskEngine({ store, now, onFault, limits: { graceMs: 1, takeoverMs: 40 } });
  const register = (kind: Kind) =>
    engine.register({ ...kind, run: (input, run) => kind.run(input, dying(run)).finally(over.resolve) });
  const egress = createEgress({});
  const events = createEvents({ store, tasks: engine, egress, onFault, now });
  const identity = createIdentity(store, { now, roleDefaults: roleDefaultsOf([agentToolset]) });
  const host = bareHost({ store, identity, events, egress, tasks: { ...engine, register }, onFault });
  createAgentServices(host, { now, actions: actions.services });
  engine.start();
  await over.promise;
  await engine.stop();
  await egress.close();
  identity.close();
}

onBothBeds('a workflow', (bed) => {
  test('check 43: with every type of node, in processes that end after each step, runs each node once', async () => {
    const { acme, agent, clock, services, store } = bed();
    const actions = scriptedActions();
    const acting = actingOf((await agent(acme.member.caller)).caller);
    const { id } = await services.workflows.create(acting, { name: 'Flow', graph: WHOLE });
    await services.workflows.setStatus(acting, id, 'active');
    const { id: runId } = await services.workflows.trigger(acting, id, { name: 'Ada' });
    const state = () => services.workflows.run(acting, runId);
    let processes = 0;
    let isForgotten = false;
    while ((await state()).status === 'running') {
      processes += 1;
      await oneStepOf(bed(), actions);
      clock.nowMs += 60_000;
      if (isForgotten || actions.deeds.length !== 1) continue;
      // As if it had been cut off between what it did and its note of it.
      isForgotten = true;
      await sql`delete from task_steps where step_key = ${`${runId} a#1`}`.execute(store.db());
    }
    const run = await state();
    expect(run).toMatchObject({ status: 'completed', output: { text: 'completed ' } });
    expect(run.nodes.map(({ node_id }) => node_id).toSorted()).toEqual(WHOLE_NODES);
    expect(run.nodes.every(({ status }) => status === 'completed')).toBe(true);
    expect(actions.said()).toEqual(['run Greet for Ada', 'work Do did Greet for Ada']);
    expect(processes).toBeGreaterThan(WHOLE_NODES.length);
  });
});

test('check 43: a process that is killed in the middle of a node and of a delay loses nothing that was done', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-killed-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const wanted = graph(
    {
      s: ['start'],
      p: ['parallel'],
      d: ['delay', { seconds: 60 }],
      a: ['agent_session', { prompt: 'Greet' }],
      j: ['join'],
      e: ['end', { output: '{{nodes.a.text}}' }],
    },
    ['s p', 'p d', 'p a', 'd j', 'a j', 'j e'],
  );
  const program = fileURLToPath(new URL('../../../test/killed-process.ts', import.meta.url));
  const child = spawn(process.execPath, [program, dataDir, JSON.stringify(wanted)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGKILL');
  await once(child, 'exit');
  const { organizationId, agentId, runId } = JSON.parse(line.toString('utf8')) as Record<string, string>;
  // Its lease and the delay are both over.
  const clock = { nowMs: Date.now() + 2 * 60_000 };
  const store = await openStore({ dataDir, clock: () => clock.nowMs });
  onTestFinished(() => store.close());
  const actions = scriptedActions();
  const { services, close } = startAgents(store, { ...actingBed(actions), clock });
  onTestFinished(close);
  const how = { organizationId: organizationId ?? '', agentId: agentId ?? '', source: 'key' } as const;
  const caller = await services.callers.acting({ ...how, sessionSource: 'api', depth: 1, unattended: false });
  if (caller === undefined) throw new Error('The agent is not there.');
  const run = await eventually(async () => {
    const now = await services.workflows.run(actingOf(caller), runId ?? '');
    expect(now.status).not.toBe('running');
    return now;
  });
  expect(run).toMatchObject({ status: 'completed', output: { text: 'did Greet' } });
  expect(run.nodes.map(({ node_id }) => node_id).toSorted()).toEqual(['a', 'd', 'e', 'j', 'p', 's']);
  expect(actions.said()).toEqual(['run Greet']);
  // What the killed one had done was not done again.
  const before = run.nodes.filter(({ started_at }) => Date.parse(started_at) < clock.nowMs - 60_000);
  expect(before.map(({ node_id }) => node_id).toSorted()).toEqual(['a', 'd', 'p', 's']);
});
