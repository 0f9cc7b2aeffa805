/** The table of work tasks, as queries see it. */

/** Where a work task stands; the last three are final. */
export type WorkStatus =
  | 'pending'
  | 'branching'
  | 'running'
  | 'validating'
  | 'completed'
  | 'failed'
  | 'cancelled';

/** A piece of work that an agent was given, on a branch of its own. */
export interface WorkTaskRow {
  id: string;
  organization_id: string;
  agent_id: string;
  project_id: string;
  description: string;
  status: WorkStatus;
  branch: string | null;
  /** The repository that the branch is in; null before it is made. */
  repository: string | null;
  /** How often the work was given to a runner. */
  iterations: number;
  pr_url: string | null;
  /** Why it failed; while it is worked on again, what the check said. */
  error: string | null;
  /** What the runner said last. */
  reply: string | null;
  /** The durable task that carries it now. */
  task_id: string | null;
  depth: number;
  unattended: 0 | 1;
  /** What whoever works on it shows, where it is offered; only a hash is kept. */
  claim_hash: string | null;
  lease_until: number | null;
  created_at: number;
  updated_at: number;
  finished_at: number | null;
}

export interface WorkTables {
  work_tasks: WorkTaskRow;
}
