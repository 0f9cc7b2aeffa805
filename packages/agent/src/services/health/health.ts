/** Health of projects: snapshots that somebody reports, and where they are going. */
import { ToolError, typeId } from '@parley/kit';
import type { Store } from '@parley/store';
import { agentRow } from '../../permissions/lookup.ts';
import type { Acting } from '../../session.ts';
import type { ProjectReach } from './project-reach.ts';
import type { HealthTables, HealthValues, Metric, SnapshotRow } from './schema.ts';
import { METRICS } from './schema.ts';
import type { Trend } from './trend.ts';
import { trendOf } from './trend.ts';

export interface Snapshot extends HealthValues {
  readonly id: string;
  readonly project_id: string;
  readonly agent_id: string | null;
  readonly created_at: string;
}

export interface HealthTrends {
  /** The newest. */
  readonly snapshot: Snapshot | null;
  readonly trends: Record<Metric, Trend>;
  readonly snapshots_used: number;
}

/** What was counted, and whose work it was; what is absent is counted in the files, where that can be done. */
export type NewSnapshot = { readonly [Name in Metric]?: number | null | undefined } & {
  readonly agentId?: string | undefined;
};

export interface Health {
  report(organizationId: string, projectId: string, snapshot: NewSnapshot): Promise<Snapshot>;
  /** Over the newest snapshots of a project, or of those of one agent's work. */
  trends(
    acting: Acting,
    asked: { projectId: string; agentId?: string | undefined; limit: number },
  ): Promise<HealthTrends>;
}

export interface HealthParts {
  readonly store: Store;
  readonly projects: ProjectReach;
  readonly now: () => number;
}

export function createHealth({ store, projects, now }: HealthParts): Health {
  return {
    async report(organizationId, projectId, { agentId, ...values }) {
      if (!(await projects.has(organizationId, projectId))) throw noProject();
      if (agentId !== undefined && (await agentRow(store, organizationId, agentId)) === undefined)
        throw new ToolError('not_found', 'Agent not found');
      const at = now();
      const row: SnapshotRow = {
        ...NOTHING_KNOWN,
        ...(await projects.counts(organizationId, projectId)),
        ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)),
        organization_id: organizationId,
        id: typeId('hlth', at),
        project_id: projectId,
        agent_id: agentId ?? null,
        created_at: at,
        updated_at: at,
      };
      await store.db<HealthTables>().insertInto('health_snapshots').values(row).execute();
      return shown(row);
    },
    async trends(acting, { projectId, agentId, limit }) {
      if (!(await projects.reaches(acting, projectId))) throw noProject();
      const rows = await store
        .db<HealthTables>()
        .selectFrom('health_snapshots')
        .selectAll()
        .where('organization_id', '=', acting.organizationId)
        .where('project_id', '=', projectId)
        .$if(agentId !== undefined, (query) => query.where('agent_id', '=', agentId ?? ''))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      const [newest] = rows;
      return {
        snapshot: newest === undefined ? null : shown(newest),
        trends: trendsOf(rows.toReversed()),
        snapshots_used: rows.length,
      };
    },
  };
}

const NOTHING_KNOWN: HealthValues = {
  type_errors: null,
  test_failures: null,
  todo: null,
  fixme: null,
  hack: null,
  large_files: null,
  outdated_deps: null,
};

function trendsOf(rows: readonly SnapshotRow[]): Record<Metric, Trend> {
  const trend = (metric: Metric) => trendOf(rows.map((row) => row[metric]).filter((value) => value !== null));
  // One for each metric.
  return Object.fromEntries(METRICS.map((metric) => [metric, trend(metric)])) as Record<Metric, Trend>;
}

function noProject(): ToolError {
  return new ToolError('not_found', 'Project not found. corvid_list_projects has those that you reach.');
}

function shown(row: SnapshotRow): Snapshot {
  const values = Object.fromEntries(METRICS.map((metric) => [metric, row[metric]]));
  const { id, project_id, agent_id, created_at } = row;
  return {
    ...NOTHING_KNOWN,
    ...values,
    id,
    project_id,
    agent_id,
    created_at: new Date(created_at).toISOString(),
  };
}
