/** What other parts know of agents and reputation counts: their work, and how often they run. */
import type { Queryable } from '@parley/store';

/** How the work of an agent ended. */
export interface WorkCount {
  readonly completed: number;
  readonly failed: number;
}

/** Counts of agents, by their ids; one that is absent has none. */
export interface AgentCounts {
  workTasks(from: Queryable, agentIds: readonly string[]): Promise<ReadonlyMap<string, WorkCount>>;
  /** Sessions that began at a moment or later. */
  sessions(
    from: Queryable,
    agentIds: readonly string[],
    sinceMs: number,
  ): Promise<ReadonlyMap<string, number>>;
}

/** The columns of those parts that are counted. */
interface CountedTables {
  work_tasks: { agent_id: string; status: string };
  agent_sessions: { agent_id: string; started_at: number };
}

/** Counts from the tables of those parts. */
export const tableCounts: AgentCounts = {
  async workTasks(from, agentIds) {
    const rows = await from
      .db<CountedTables>()
      .selectFrom('work_tasks')
      .select(({ fn }) => ['agent_id', 'status', fn.countAll().as('count')])
      .where('agent_id', 'in', agentIds)
      .where('status', 'in', ['completed', 'failed'])
      .groupBy(['agent_id', 'status'])
      .execute();
    const count = (agentId: string, status: string) =>
      Number(rows.find((row) => row.agent_id === agentId && row.status === status)?.count ?? 0);
    return new Map(
      agentIds.map((id) => [id, { completed: count(id, 'completed'), failed: count(id, 'failed') }]),
    );
  },
  async sessions(from, agentIds, sinceMs) {
    const rows = await from
      .db<CountedTables>()
      .selectFrom('agent_sessions')
      .select(({ fn }) => ['agent_id', fn.countAll().as('count')])
      .where('agent_id', 'in', agentIds)
      .where('started_at', '>=', sinceMs)
      .groupBy('agent_id')
      .execute();
    return new Map(rows.map(({ agent_id, count }) => [agent_id, Number(count)]));
  },
};
