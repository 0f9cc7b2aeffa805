/** The tables of tasks, as queries see them. */

/** Where a task stands for the workers; clients see `status`. */
export type TaskState = 'ready' | 'running' | 'asking' | 'final';

export interface TaskRow {
  id: string;
  organization_id: string;
  owner_id: string;
  kind: string;
  kind_version: number;
  state: TaskState;
  /** Set when final. */
  outcome: 'completed' | 'failed' | 'cancelled' | null;
  input: string;
  capabilities: string;
  priority: number;
  /** When it may be claimed next: now, the end of a sleep or a retry, or the end of waiting for an answer. */
  due_at: number;
  worker_id: string | null;
  lease_until: number | null;
  /** Rises with every claim; a write under an older number is refused. */
  fence: number;
  /** How often in a row a worker died on it. */
  crashes: number;
  cancel_reason: string | null;
  parent_id: string | null;
  idempotency_key: string | null;
  status_message: string | null;
  progress_done: number | null;
  progress_total: number | null;
  result: string | null;
  error: string | null;
  ttl_ms: number;
  created_at: number;
  updated_at: number;
  finished_at: number | null;
  expires_at: number | null;
}

/** One durable step, sleep or finished retry of a task. */
export interface TaskStepRow {
  task_id: string;
  organization_id: string;
  step_key: string;
  /** The place in the order of calls; -1 for a call made beside another one. */
  position: number;
  kind: 'step' | 'sleep';
  /** JSON of `{value}` or `{error}`; null while a retry or a sleep is waiting. */
  outcome: string | null;
  attempts: number;
  due_at: number | null;
}

/** One question of a task. */
export interface TaskInputRow {
  task_id: string;
  organization_id: string;
  input_key: string;
  position: number;
  request: string;
  response: string | null;
  expires_at: number;
}

export interface TaskTables {
  tasks: TaskRow;
  task_steps: TaskStepRow;
  task_inputs: TaskInputRow;
}
