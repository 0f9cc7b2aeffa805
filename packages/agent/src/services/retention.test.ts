/** Retention: each table that grows forgets what is old, in batches, and nothing that is young or still under way. */
import type { AnyTables } from '@parley/store';
import { expect, test } from 'vitest';
import type { AgentBed } from '../../test/agent-bed.ts';
import { onBothBeds } from '../../test/agent-bed.ts';

const DAY = 24 * 60 * 60_000;

type Row = Readonly<Record<string, unknown>>;

interface Kept {
  readonly table: string;
  /** A row that ended, or was written, so long ago. */
  row(at: number, id: string, of: Owner): Row;
  readonly days: number;
}

interface Owner {
  readonly organization_id: string;
  readonly agent_id: string;
}

const times = (at: number) => ({ created_at: at, updated_at: at });

const message = (at: number, id: string, { organization_id, agent_id }: Owner, accepted: number | null) => ({
  id,
  organization_id,
  to_agent: agent_id,
  thread: id,
  began_thread: 1,
  text: 'Hello',
  text_hash: '',
  status: accepted === null ? 'failed' : 'replied',
  depth: 1,
  unattended: 0,
  accepted_at: accepted,
  ...times(at),
});

const remoteTask = (at: number, id: string, of: Owner, state: string) => ({
  ...of,
  id,
  caller_id: 'key_1',
  message: 'Hello',
  depth: 1,
  timeout_ms: 1000,
  state,
  ...times(at),
});

const KEPT: readonly (Kept & { readonly what: string })[] = [
  { what: 'messages', table: 'agent_messages', days: 90, row: (at, id, of) => message(at, id, of, at) },
  {
    what: 'refused messages',
    table: 'agent_messages',
    days: 7,
    row: (at, id, of) => message(at, id, of, null),
  },
  {
    what: 'watchers',
    table: 'agent_watchers',
    days: 0,
    row: (at, id, of) => ({ ...of, id, until: at, created_at: at }),
  },
  {
    what: 'sessions',
    table: 'agent_sessions',
    days: 90,
    row: (at, id, of) => ({
      ...of,
      id,
      source: 'api',
      depth: 1,
      unattended: 0,
      started_at: at,
      ...times(at),
    }),
  },
  {
    what: 'executions',
    table: 'schedule_executions',
    days: 90,
    row: (at, id, of) => ({
      ...of,
      id,
      schedule_id: id,
      due_at: at,
      cause: '',
      snapshot: '{}',
      approval: 'none',
      approvals: '[]',
      status: 'completed',
      finished_at: at,
      ...times(at),
    }),
  },
  {
    what: 'deleted schedules',
    table: 'agent_schedules',
    days: 90,
    row: (at, id, of) => ({
      ...of,
      id,
      name: 'Often',
      config: '{}',
      policy: 'auto',
      by_web: 0,
      unattended: 0,
      depth: 1,
      status: 'paused',
      runs: 0,
      failures: 0,
      deleted_at: at,
      ...times(at),
    }),
  },
  {
    what: 'notifications',
    table: 'owner_notifications',
    days: 90,
    row: (at, id, of) => ({ ...of, id, level: 'info', message: 'Done', ...times(at) }),
  },
  {
    what: 'questions',
    table: 'owner_questions',
    days: 90,
    row: (at, id, of) => ({
      ...of,
      id,
      question: 'Yes?',
      deadline_at: at,
      status: 'timed_out',
      ...times(at),
    }),
  },
  {
    what: 'remote tasks that ended',
    table: 'agent_remote_tasks',
    days: 7,
    row: (at, id, of) => remoteTask(at, id, of, 'completed'),
  },
  {
    what: 'remote tasks that never ended',
    table: 'agent_remote_tasks',
    days: 90,
    row: (at, id, of) => remoteTask(at, id, of, 'working'),
  },
  {
    what: 'work tasks',
    table: 'work_tasks',
    days: 365,
    row: (at, id, of) => ({
      ...of,
      id,
      project_id: 'proj_1',
      description: 'Mend it',
      status: 'completed',
      iterations: 1,
      depth: 1,
      unattended: 0,
      finished_at: at,
      ...times(at),
    }),
  },
  {
    what: 'conduct',
    table: 'reputation_events',
    days: 365,
    row: (at, id, of) => ({ ...of, id, kind: 'self_grant', detail: '', ...times(at) }),
  },
  {
    what: 'snapshots of health',
    table: 'health_snapshots',
    days: 365,
    row: (at, id, { organization_id }) => ({ organization_id, id, project_id: 'proj_1', ...times(at) }),
  },
];

onBothBeds('retention', (bed, replica) => {
  const owner = async ({ acme, agent }: AgentBed): Promise<Owner> => ({
    organization_id: acme.id,
    agent_id: (await agent(acme.owner.caller)).id,
  });
  const add = (table: string, rows: readonly Row[]) =>
    bed().store.db<AnyTables>().insertInto(table).values(rows).execute();
  const ids = async (table: string, beginning: string) => {
    const rows = (await bed().store.db<AnyTables>().selectFrom(table).select('id').execute()) as {
      id: string;
    }[];
    return rows
      .map(({ id }) => id)
      .filter((id) => id.startsWith(beginning))
      .toSorted();
  };

  test.each(KEPT)('$what are kept for $days days', async ({ what, table, days, row }) => {
    const of = await owner(bed());
    const { nowMs } = bed().clock;
    await add(table, [
      row(nowMs - days * DAY - 1, `${what} old`, of),
      row(nowMs - days * DAY, `${what} young`, of),
    ]);
    await bed().services.sweep();
    expect(await ids(table, what)).toEqual([`${what} young`]);
  });

  test('runs of workflows are kept for 90 days, and what belongs to a row goes with it', async () => {
    const of = await owner(bed());
    const { nowMs } = bed().clock;
    const workflow = {
      ...of,
      id: 'wf_1',
      name: 'Greet',
      description: '',
      graph: '{}',
      max_concurrency: 1,
      status: 'active',
      version: 1,
      ...times(nowMs),
    };
    await add('workflows', [workflow]);
    const run = (id: string, finished: number | null) => ({
      ...of,
      id,
      workflow_id: 'wf_1',
      snapshot: '{}',
      input: '{}',
      depth: 1,
      unattended: 0,
      status: finished === null ? 'running' : 'completed',
      finished_at: finished,
      ...times(nowMs - 200 * DAY),
    });
    await add('workflow_runs', [
      run('run_old', nowMs - 91 * DAY),
      run('run_young', nowMs - 89 * DAY),
      run('run_running', null),
    ]);
    const node = {
      organization_id: of.organization_id,
      node_id: 's',
      attempt: 1,
      position: 1,
      type: 'start',
    };
    await add('workflow_node_runs', [
      { ...node, run_id: 'run_old', status: 'completed', ...times(nowMs) },
      { ...node, run_id: 'run_young', status: 'completed', ...times(nowMs) },
    ]);
    await bed().services.sweep();
    expect(await ids('workflow_runs', 'run_')).toEqual(['run_running', 'run_young']);
    const nodes = await bed().store.db<AnyTables>().selectFrom('workflow_node_runs').selectAll().execute();
    expect(nodes).toMatchObject([{ run_id: 'run_young' }]);
  });

  test('a key that an agent was run with goes a week after its end; others stay', async () => {
    const { acme, clock, identity, agent, services } = bed();
    const { id: agentId, caller, key } = await agent(acme.owner.caller);
    const binding = { agentId, source: 'agent', depth: 2, unattended: true } as const;
    const grants = { agent: caller.grants['agent'] ?? [] };
    const expiresAt = clock.nowMs + 1000;
    await identity.createKey(caller, { name: 'Run of it', grants, expiresAt, agent: binding });
    await identity.createKey(acme.owner.caller, { name: 'Short', grants: {}, expiresAt });
    const names = async () =>
      (await identity.listKeys(acme.owner.caller, { all: true })).map(({ name }) => name);
    clock.nowMs += 7 * DAY;
    await services.sweep();
    expect(await names()).toContain('Run of it');
    clock.nowMs += 2000;
    await services.sweep();
    expect(await names()).not.toContain('Run of it');
    expect(await names()).toContain('Short');
    expect(await identity.authenticate(key, 'key')).toMatchObject({ agent: { id: agentId } });
  });

  test('a large heap goes in batches, whichever processes sweep at once', async () => {
    const of = await owner(bed());
    const old = bed().clock.nowMs - 91 * DAY;
    const rows = Array.from({ length: 1200 }, (_, index) => ({
      ...of,
      id: `heap ${index}`,
      level: 'info',
      message: 'Done',
      ...times(old),
    }));
    for (let from = 0; from < rows.length; from += 300)
      await add('owner_notifications', rows.slice(from, from + 300));
    const other = await replica();
    await Promise.all([bed().services.sweep(), other.services.sweep()]);
    // Whoever found the other at it left the rest to it, or to the next hour.
    await bed().services.sweep();
    expect(await ids('owner_notifications', 'heap')).toEqual([]);
  });
});
