/** The table of health snapshots, as queries see it. */

/** What is counted in a project; fewer is better for all of them. */
export const METRICS = [
  'type_errors',
  'test_failures',
  'todo',
  'fixme',
  'hack',
  'large_files',
  'outdated_deps',
] as const;

export type Metric = (typeof METRICS)[number];

/** Null: not known. */
export type HealthValues = Record<Metric, number | null>;

export interface SnapshotRow extends HealthValues {
  organization_id: string;
  id: string;
  project_id: string;
  /** The agent whose work was looked at. */
  agent_id: string | null;
  created_at: number;
  updated_at: number;
}

export interface HealthTables {
  health_snapshots: SnapshotRow;
}
