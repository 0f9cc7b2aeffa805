/** The tables of workflows and their runs, as queries see them. */

export type WorkflowStatus = 'draft' | 'active' | 'paused';

export interface WorkflowRow {
  id: string;
  organization_id: string;
  agent_id: string;
  name: string;
  description: string;
  /** A `Graph`. */
  graph: string;
  default_project_id: string | null;
  max_concurrency: number;
  status: WorkflowStatus;
  version: number;
  created_at: number;
  updated_at: number;
}

export type RunStatus = 'running' | 'completed' | 'failed';

export interface WorkflowRunRow {
  id: string;
  organization_id: string;
  agent_id: string;
  workflow_id: string;
  /** A `RunSnapshot`. */
  snapshot: string;
  input: string;
  /** As its trigger had them. */
  depth: number;
  unattended: number;
  status: RunStatus;
  output: string | null;
  error: string | null;
  task_id: string | null;
  finished_at: number | null;
  created_at: number;
  updated_at: number;
}

export type NodeRunStatus = 'running' | 'completed' | 'failed' | 'cancelled';

/** One run of one node; a node in a loop has several. */
export interface NodeRunRow {
  organization_id: string;
  run_id: string;
  node_id: string;
  attempt: number;
  /** Its place among the node runs of the run, in the order in which they began. */
  position: number;
  type: string;
  status: NodeRunStatus;
  output: string | null;
  error: string | null;
  session_id: string | null;
  created_at: number;
  updated_at: number;
  finished_at: number | null;
}

export interface WorkflowTables {
  workflows: WorkflowRow;
  workflow_runs: WorkflowRunRow;
  workflow_node_runs: NodeRunRow;
}
