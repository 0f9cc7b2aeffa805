/** The tables of schedules and their executions, as queries see them, and what their JSON columns hold. */

/** When a schedule fires. */
export type Timing =
  | { readonly kind: 'cron'; readonly cron: string; readonly timezone: string }
  | { readonly kind: 'interval'; readonly minutes: number }
  | { readonly kind: 'event'; readonly type: string; readonly filter?: string | undefined };

/** What is done, in this order of the documents. */
export const ACTION_TYPES = [
  'star_repo',
  'fork_repo',
  'review_prs',
  'work_task',
  'council_launch',
  'send_message',
  'github_suggest',
  'codebase_review',
  'dependency_audit',
  'improvement_loop',
  'memory_maintenance',
  'reputation_attestation',
  'custom',
] as const;

export type ActionType = (typeof ACTION_TYPES)[number];

/** One thing that a schedule does; which fields it needs follows from its type. */
export interface ScheduleAction {
  readonly type: ActionType;
  readonly repos?: readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly project_id?: string | undefined;
  readonly to_agent_id?: string | undefined;
  readonly message?: string | undefined;
  readonly prompt?: string | undefined;
}

export const POLICIES = ['auto', 'owner_approve', 'council_approve'] as const;

export type Policy = (typeof POLICIES)[number];

export interface ScheduleConfig {
  readonly description: string;
  readonly timing: Timing;
  readonly actions: readonly ScheduleAction[];
}

export type ScheduleStatus = 'active' | 'paused' | 'auto_paused';

export interface ScheduleRow {
  id: string;
  organization_id: string;
  agent_id: string;
  name: string;
  /** A `ScheduleConfig`. */
  config: string;
  policy: Policy;
  /** Whether all of it was said by a person in the console. */
  by_web: number;
  /** Whether any of it was said while nobody watched. */
  unattended: number;
  /** How deep its maker was. */
  depth: number;
  status: ScheduleStatus;
  runs: number;
  /** In a row. */
  failures: number;
  /** Null while it is paused, deleted, or woken by events. */
  next_run_at: number | null;
  deleted_at: number | null;
  created_at: number;
  updated_at: number;
}

/** What an execution does, whatever becomes of its schedule. */
export interface Snapshot {
  readonly name: string;
  readonly actions: readonly ScheduleAction[];
  readonly depth: number;
  /** What woke it, where an event did. */
  readonly event?: { readonly type: string; readonly subject: string | undefined } | undefined;
}

/** Whose word an execution waits for. */
export type Approval = 'none' | 'one' | 'council';

/** The first two are open without running: for a word, and for a place. */
export type ExecutionStatus =
  | 'waiting'
  | 'pending'
  | 'running'
  | 'completed'
  | 'failed'
  | 'denied'
  | 'cancelled'
  | 'skipped';

export interface ExecutionRow {
  id: string;
  organization_id: string;
  agent_id: string;
  schedule_id: string;
  due_at: number;
  /** Empty: the clock; otherwise the id of what caused it, so that it causes it once. */
  cause: string;
  /** A `Snapshot`. */
  snapshot: string;
  approval: Approval;
  /** The ids of the users who approved, as JSON. */
  approvals: string;
  status: ExecutionStatus;
  task_id: string | null;
  result: string | null;
  started_at: number | null;
  finished_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface ScheduleTables {
  agent_schedules: ScheduleRow;
  schedule_executions: ExecutionRow;
}
