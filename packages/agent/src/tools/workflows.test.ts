/** Workflows as their agent has them: which graphs are refused, how runs go through them, and that a killed worker costs no node twice. */
import { ToolError } from '@parley/kit';
import { eventually } from '@parley/test-support/eventually';
import { beforeEach, expect, test } from 'vitest';
import { onBothBeds } from '../../test/agent-bed.ts';
import type { ScriptedActions } from '../../test/scripted-actions.ts';
import { actingBed, failing, scriptedActions } from '../../test/scripted-actions.ts';
import type { Config } from '../../test/workflow-graphs.ts';
import { graph, WHOLE, WHOLE_NODES } from '../../test/workflow-graphs.ts';
import type { WorkflowTables } from '../services/workflows/schema.ts';

const TOOL = 'corvid_manage_workflow';

const SIMPLE = graph({ s: ['start'], e: ['end', { output: 'Hello {{input.name}}' }] }, ['s e']);

let made: ScriptedActions;

onBothBeds(
  'manage_workflow',
  (bed, replica) => {
    const actions = made;
    beforeEach(() => {
      actions.script = () => undefined;
      actions.deeds.length = 0;
    });

    const asAgent = async () => {
      const { acme, agent, client } = bed();
      return client((await agent(acme.member.caller)).caller);
    };

    /** A workflow that runs, and what became of it. */
    const triggered = async (wanted: object, input: Config = { name: 'Ada' }) => {
      const tools = await asAgent();
      const { id: workflow_id = '' } = await tools.call(TOOL, { action: 'create', name: 'Flow', ...wanted });
      await tools.call(TOOL, { action: 'activate', workflow_id });
      const { run_id = '', status } = await tools.call(TOOL, { action: 'trigger', workflow_id, input });
      expect(status).toBe('running');
      const state = () => tools.call(TOOL, { action: 'run_status', run_id });
      const nodes = async () =>
        (await state()).node_runs?.map((node) => `${node.node_id} ${node.status}`).toSorted();
      const over = () =>
        eventually(async () => {
          const now = await state();
          expect(now.status).not.toBe('running');
          return now;
        });
      return { tools, workflow_id, run_id, state, nodes, over };
    };

    test('it is a draft, is switched on, runs, and can be looked at', async () => {
      const { tools, workflow_id, run_id, over } = await triggered(SIMPLE);
      expect(await over()).toMatchObject({
        run_id,
        status: 'completed',
        error: null,
        output: { text: 'Hello Ada' },
        node_runs: [
          { node_id: 's', type: 'start', status: 'completed', error: null },
          { node_id: 'e', type: 'end', status: 'completed' },
        ],
      });
      expect(await tools.call(TOOL, { action: 'runs', workflow_id })).toMatchObject({
        runs: [{ id: run_id, status: 'completed' }],
      });
      expect(await tools.call(TOOL, { action: 'get', workflow_id })).toMatchObject({
        id: workflow_id,
        name: 'Flow',
        status: 'active',
        max_concurrency: 2,
        nodes: [{ id: 's' }, { id: 'e', config: { output: 'Hello {{input.name}}' } }],
        edges: [{ sourceNodeId: 's', targetNodeId: 'e' }],
      });
      expect(await tools.call(TOOL, { action: 'pause', workflow_id })).toMatchObject({ status: 'paused' });
      expect(await tools.attempt(TOOL, { action: 'trigger', workflow_id })).toMatchObject({
        code: 'not_active',
      });
      expect(await tools.call(TOOL, { action: 'list' })).toEqual({
        workflows: [{ id: workflow_id, name: 'Flow', status: 'paused' }],
      });
      const { id = '', status } = await tools.call(TOOL, { action: 'create', name: 'Draft', ...SIMPLE });
      expect(status).toBe('draft');
      expect(await tools.attempt(TOOL, { action: 'trigger', workflow_id: id })).toMatchObject({
        code: 'not_active',
      });
    });

    test('graphs that cannot run are refused with what is wrong', async () => {
      const tools = await asAgent();
      const s: [string] = ['start'];
      const e: [string] = ['end'];
      const condition: [string, Config] = ['condition', { path: 'input.x', op: 'exists' }];
      const rows: [object, RegExp][] = [
        [graph({ e }, []), /exactly one start, not 0/],
        [graph({ s, s2: s, e }, ['s e']), /exactly one start, not 2/],
        [graph({ s, e }, []), /no end can be reached/],
        [graph({ s, e }, ['s e', 's gone']), /not there/],
        [graph({ s, x: ['shell'], e }, ['s e']), /unknown type/],
        [graph({ s, x: ['toString'], e }, ['s e']), /unknown type/],
        [graph({ s, d: ['delay', { seconds: 3601 }], e }, ['s d', 'd e']), /seconds/],
        [graph({ s, d: ['delay', { seconds: 1, code: 'x' }], e }, ['s d', 'd e']), /code/],
        [graph({ s, a: ['agent_session', {}], e }, ['s a', 'a e']), /prompt/],
        [graph({ s, c: condition, e }, ['s c', 'c e']), /needs condition/],
        [graph({ s, e }, ['s true e']), /only edges that leave a condition/],
        [{ ...SIMPLE, nodes: [...SIMPLE.nodes, ...SIMPLE.nodes] }, /there twice/],
        [{ ...SIMPLE, edges: [...SIMPLE.edges, ...SIMPLE.edges] }, /there twice/],
        [graph({ 's.x': s, e }, ['s.x e']), /letters, digits/],
      ];
      for (const [wanted, message] of rows)
        expect(await tools.attempt(TOOL, { action: 'create', name: 'Flow', ...wanted })).toMatchObject({
          ok: false,
          code: 'invalid_graph',
          message: expect.stringMatching(message),
        });
      const invalid: [Config, RegExp][] = [
        [{ action: 'create', ...SIMPLE }, /^name: create needs it/],
        [{ action: 'create', name: 'Flow', nodes: SIMPLE.nodes }, /^edges: create needs it/],
        [{ action: 'get' }, /^workflow_id: get needs it/],
        [{ action: 'run_status' }, /^run_id: run_status needs it/],
        [{ action: 'create', name: 'Flow', ...SIMPLE, max_concurrency: 5 }, /^max_concurrency/],
        [{ action: 'list', limit: 1 }, /limit/],
        [
          {
            action: 'create',
            name: 'Flow',
            ...SIMPLE,
            nodes: Array.from({ length: 101 }, () => SIMPLE.nodes[0]),
          },
          /^nodes/,
        ],
      ];
      for (const [input, message] of invalid)
        // What an unknown client may send.
        expect(await tools.attempt(TOOL, input as { action: 'list' })).toMatchObject({
          code: 'invalid',
          message: expect.stringMatching(message),
        });
      expect(await tools.call(TOOL, { action: 'list' })).toEqual({ workflows: [] });
    });

    test('what is given to a run is text: nothing in it is evaluated, and what is not there is empty', async () => {
      const input = { name: '{{input.secret}} $& ${1+1}', secret: 'S', list: [1, 2] };
      const template =
        '{{input.name}}|{{input.gone}}|{{input.constructor}}|{{ input.list }}|{{nodes.s.secret}}|{{a b}}';
      const { over } = await triggered(
        graph({ s: ['start'], t: ['transform', { template }], e: ['end', { output: '{{nodes.t.text}}' }] }, [
          's t',
          't e',
        ]),
        input,
      );
      expect(await over()).toMatchObject({ output: { text: `${input.name}|||[1,2]|S|{{a b}}` } });
      const { tools, workflow_id } = await triggered(SIMPLE);
      const large = { action: 'trigger' as const, workflow_id, input: { text: 'x'.repeat(65_536) } };
      expect(await tools.attempt(TOOL, large)).toMatchObject({
        code: 'invalid',
        message: expect.stringMatching(/^input/),
      });
    });

    test('check 43: a cycle stops at 100 node runs', async () => {
      const { over } = await triggered(
        graph(
          {
            s: ['start'],
            t: ['transform', { template: 'again' }],
            c: ['condition', { path: 'input.stop', op: 'exists' }],
            e: ['end'],
          },
          ['s t', 't c', 'c true e', 'c false t'],
        ),
      );
      const run = await over();
      expect(run).toMatchObject({ status: 'failed', error: expect.stringMatching(/^node_limit/) });
      expect(run.node_runs).toHaveLength(100);
    });

    test('a long error of a node is cut where one sees it', async () => {
      actions.script = () => {
        throw new ToolError('conflict', 'So it is. '.repeat(20));
      };
      const { over } = await triggered(
        graph({ s: ['start'], a: ['agent_session', { prompt: 'x' }], e: ['end'] }, ['s a', 'a e']),
      );
      const { error } = (await over()).node_runs?.[1] ?? {};
      expect(error).toHaveLength(80);
      expect(error).toMatch(/^conflict: So it is\. .*\u2026$/);
    });

    test('a failed node fails the run, and nothing after it is done', async () => {
      actions.script = failing;
      const { over } = await triggered(
        graph(
          {
            s: ['start'],
            a: ['agent_session', { prompt: 'x' }],
            w: ['work_task', { description: 'y' }],
            e: ['end'],
          },
          ['s a', 'a w', 'w e'],
        ),
      );
      expect(await over()).toMatchObject({
        status: 'failed',
        error: 'a: conflict: It did not work.',
        node_runs: [
          { node_id: 's' },
          { node_id: 'a', status: 'failed', error: 'conflict: It did not work.' },
        ],
      });
      expect(actions.deeds).toEqual([]);
    });

    test('a join waits for all branches that were started, and for no other', async () => {
      const branches = { a: 'true', b: 'false' } as const;
      const { over } = await triggered(
        graph(
          {
            s: ['start'],
            p: ['parallel'],
            c: ['condition', { path: 'input.both', op: 'exists' }],
            ...Object.fromEntries(
              Object.keys(branches).map((id) => [id, ['transform', { template: id }]] as const),
            ),
            slow: ['agent_session', { prompt: 'slow' }],
            j: ['join'],
            e: ['end', { output: '{{nodes.a.text}}{{nodes.b.text}}{{nodes.slow.text}}' }],
          },
          ['s p', 'p c', 'p slow', 'c true a', 'c false b', 'a j', 'b j', 'slow j', 'j e'],
        ),
      );
      const run = await over();
      expect(run).toMatchObject({ status: 'completed', output: { text: 'bdid slow' } });
      expect(run.node_runs?.filter(({ node_id }) => node_id === 'j')).toHaveLength(1);
    });

    test('max_concurrency is the most that runs at once', async () => {
      const ids = ['a', 'b', 'c', 'd'];
      const wanted = graph(
        {
          s: ['start'],
          p: ['parallel'],
          ...Object.fromEntries(ids.map((id) => [id, ['agent_session', { prompt: id }]] as const)),
          j: ['join'],
          e: ['end'],
        },
        ['s p', ...ids.flatMap((id) => [`p ${id}`, `${id} j`]), 'j e'],
      );
      for (const max_concurrency of [1, 3]) {
        let running = 0;
        let most = 0;
        const gate = Promise.withResolvers<void>();
        actions.script = async () => {
          running += 1;
          most = Math.max(most, running);
          await gate.promise;
          running -= 1;
        };
        const { over } = await triggered({ ...wanted, max_concurrency });
        await eventually(() => expect(running).toBe(max_concurrency));
        gate.resolve();
        expect(await over()).toMatchObject({ status: 'completed' });
        expect(most).toBe(max_concurrency);
      }
    });

    test('a run has the depth of its trigger, and is unattended if that was', async () => {
      const { acme, agent, client, services } = bed();
      const { id: agentId } = await agent(acme.member.caller);
      const how = {
        organizationId: acme.id,
        agentId,
        source: 'schedule',
        sessionSource: 'schedule',
      } as const;
      const atDepth = async (depth: number) => {
        const caller = await services.callers.acting({ ...how, depth, unattended: true });
        if (caller === undefined) throw new Error('The agent is not there.');
        return client(caller);
      };
      const tools = await atDepth(2);
      const wanted = graph({ s: ['start'], a: ['agent_session', { prompt: 'x' }], e: ['end'] }, [
        's a',
        'a e',
      ]);
      const { id: workflow_id = '' } = await tools.call(TOOL, { action: 'create', name: 'Flow', ...wanted });
      await tools.call(TOOL, { action: 'activate', workflow_id });
      await tools.call(TOOL, { action: 'trigger', workflow_id });
      await eventually(() => expect(actions.deeds).toHaveLength(1));
      expect(actions.deeds[0]?.acting).toMatchObject({
        agentId,
        unattended: true,
        depth: 2,
        source: 'agent',
      });
      const deep = await atDepth(3);
      const { run_id = '' } = await deep.call(TOOL, { action: 'trigger', workflow_id });
      await eventually(async () =>
        expect(await deep.call(TOOL, { action: 'run_status', run_id })).toMatchObject({
          status: 'failed',
          error: expect.stringContaining('depth_exceeded'),
        }),
      );
    });

    test('the session of another agent needs the tool that speaks to it, and somebody who watches', async () => {
      const SEND = 'corvid_send_message';
      const { acme, agent, client } = bed();
      const other = await agent(acme.member.caller);
      const has = await agent(acme.owner.caller, { tools: [TOOL, SEND] });
      const hasNot = await agent(acme.owner.caller, { tools: [TOOL] });
      const endOf = async ({ caller }: typeof other, agent_id: string, unattended = false) => {
        const tools = await client({ ...caller, unattended });
        const wanted = graph({ s: ['start'], a: ['agent_session', { prompt: 'x', agent_id }], e: ['end'] }, [
          's a',
          'a e',
        ]);
        const { id: workflow_id = '' } = await tools.call(TOOL, {
          action: 'create',
          name: 'Flow',
          ...wanted,
        });
        await tools.call(TOOL, { action: 'activate', workflow_id });
        const { run_id = '' } = await tools.call(TOOL, { action: 'trigger', workflow_id });
        return eventually(async () => {
          const now = await tools.call(TOOL, { action: 'run_status', run_id });
          expect(now.status).not.toBe('running');
          return now;
        });
      };
      const refused = { status: 'failed', error: expect.stringMatching(`forbidden.*${SEND}`) };
      expect(await endOf(hasNot, other.id)).toMatchObject(refused);
      // An id that stands for nobody is refused alike.
      expect(await endOf(hasNot, `agt_${'0'.repeat(26)}`)).toMatchObject(refused);
      expect(await endOf(has, other.id, true)).toMatchObject(refused);
      expect(actions.deeds).toEqual([]);
      expect(await endOf(has, other.id)).toMatchObject({ status: 'completed' });
      expect(await endOf(hasNot, hasNot.id)).toMatchObject({ status: 'completed' });
      expect(await endOf(has, has.id, true)).toMatchObject({ status: 'completed' });
      expect(actions.deeds).toHaveLength(3);
    });

    test('check 42: the workflows and runs of another agent are not there', async () => {
      const { tools, workflow_id, run_id, over } = await triggered(SIMPLE);
      await over();
      const { rival, agent, client } = bed();
      const strangers = [await asAgent(), await client((await agent(rival.owner.caller)).caller)];
      for (const as of strangers) {
        for (const action of ['get', 'activate', 'pause', 'trigger', 'runs'] as const) {
          const asked = (id: string) => as.attempt(TOOL, { action, workflow_id: id });
          expect(await asked(workflow_id)).toEqual(await asked(`wf_${'0'.repeat(26)}`));
          expect(await asked(workflow_id)).toMatchObject({ ok: false, code: 'not_found' });
        }
        const status = (id: string) => as.attempt(TOOL, { action: 'run_status', run_id: id });
        expect(await status(run_id)).toEqual(await status(`run_${'0'.repeat(26)}`));
        expect(await status(run_id)).toMatchObject({ ok: false, code: 'not_found' });
      }
      expect(await tools.call(TOOL, { action: 'list' })).toMatchObject({ workflows: [{ status: 'active' }] });
    });

    test('an agent may have 100 workflows, and 20 runs at once', async () => {
      const tools = await asAgent();
      const { id = '' } = await tools.call(TOOL, { action: 'create', name: 'Flow', ...WHOLE });
      const db = bed().store.db<WorkflowTables>();
      const row = await db.selectFrom('workflows').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      await db
        .insertInto('workflows')
        .values(Array.from({ length: 99 }, (_, index) => ({ ...row, id: `${id}_${index}` })))
        .execute();
      const another = { action: 'create' as const, name: 'Flow', ...SIMPLE };
      expect(await tools.attempt(TOOL, another)).toMatchObject({ code: 'limit_reached' });
      await tools.call(TOOL, { action: 'activate', workflow_id: id });
      for (let run = 0; run < 20; run += 1) await tools.call(TOOL, { action: 'trigger', workflow_id: id });
      expect(await tools.attempt(TOOL, { action: 'trigger', workflow_id: id })).toMatchObject({
        code: 'limit_reached',
      });
    });

    test('check 43: a run through every type of node sleeps in the database, and goes on in another process', async () => {
      const { over, nodes, state } = await triggered(WHOLE);
      await eventually(async () =>
        expect(await nodes()).toEqual(['d running', 'p completed', 's completed', 't completed']),
      );
      // The process that began it is gone; another one is there when its time comes.
      await bed().tasks.stop();
      await replica();
      bed().clock.nowMs += 60_000;
      expect(await over()).toMatchObject({ status: 'completed', output: { text: 'completed ' } });
      expect((await state()).node_runs?.map(({ node_id }) => node_id).toSorted()).toEqual(WHOLE_NODES);
      expect(actions.said()).toEqual(['run Greet for Ada', 'work Do did Greet for Ada']);
    });
  },
  () => actingBed((made = scriptedActions())),
);
