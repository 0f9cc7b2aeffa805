/** The tables of tasks, as queries see them. */
import type { RowTableColumns } from '@parley/store';

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
  /** When it may be claimed next: the end of a sleep, a retry or the wait for an answer; 0 is at once, whatever the clock. */
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
  /** Whose places it takes. */
  pool: PoolName;
  /** Its place in the line of those that are due, once a worker has given it one; the lowest is next. */
  turn: number | null;
  /** The turn with which it was last taken. */
  served_turn: number | null;
}

/** The places of the tasks of callers, and those of the system's own work. */
export type PoolName = 'caller' | 'system';

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

/** One message that a task gave on its way. */
export interface TaskProgressRow {
  task_id: string;
  organization_id: string;
  position: number;
  at: number;
  done: number;
  total: number | null;
  message: string;
}

export interface TaskTables {
  tasks: TaskRow;
  task_steps: TaskStepRow;
  task_inputs: TaskInputRow;
  task_progress: TaskProgressRow;
}

/** The columns of a task, for statements that write many. */
export const TASK_COLUMNS: RowTableColumns<TaskRow> = {
  id: 'text',
  organization_id: 'text',
  owner_id: 'text',
  kind: 'text',
  kind_version: 'integer',
  state: 'text',
  outcome: 'text',
  input: 'text',
  capabilities: 'text',
  priority: 'integer',
  due_at: 'bigint',
  worker_id: 'text',
  lease_until: 'bigint',
  fence: 'integer',
  crashes: 'integer',
  cancel_reason: 'text',
  parent_id: 'text',
  idempotency_key: 'text',
  status_message: 'text',
  progress_done: 'double precision',
  progress_total: 'double precision',
  result: 'text',
  error: 'text',
  ttl_ms: 'bigint',
  created_at: 'bigint',
  updated_at: 'bigint',
  finished_at: 'bigint',
  expires_at: 'bigint',
  pool: 'text',
  turn: 'bigint',
  served_turn: 'bigint',
};

/** The same of a step. */
export const STEP_COLUMNS: RowTableColumns<TaskStepRow> = {
  task_id: 'text',
  organization_id: 'text',
  step_key: 'text',
  position: 'integer',
  kind: 'text',
  outcome: 'text',
  attempts: 'integer',
  due_at: 'bigint',
};
