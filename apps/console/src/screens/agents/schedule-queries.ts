/** Owns reading and changing the schedules of an agent. */
import { useQuery } from '@tanstack/react-query';
import { del, get, patch, post } from '../../api/client.ts';
import type { ScheduledAction } from '../../ui/execution-approval.tsx';
import type { Execution } from './approvals.tsx';
import { pathOf } from './queries.ts';
import type { Timing } from './schedule-words.ts';

export interface Schedule {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly status: 'active' | 'paused' | 'auto_paused';
  readonly policy: 'auto' | 'owner_approve' | 'council_approve';
  readonly timing: Timing;
  readonly actions: readonly ScheduledAction[];
  readonly runs: number;
  /** In a row. */
  readonly failures: number;
  readonly next_runs: readonly string[];
}

/** What a schedule is made from or changed to. */
export interface ScheduleFields {
  readonly name: string;
  readonly description: string;
  readonly cron_expression?: string;
  readonly timezone?: string;
  readonly interval_minutes?: number;
  readonly event_trigger?: { readonly type: string; readonly filter?: string };
  readonly schedule_actions?: readonly object[];
  readonly approval_policy: Schedule['policy'];
}

const schedulesOf = (agentId: string) => `${pathOf(agentId)}/schedules`;
const oneOf = (agentId: string, id: string) => `${schedulesOf(agentId)}/${encodeURIComponent(id)}`;

export function useSchedules(agentId: string) {
  return useQuery({
    queryKey: ['schedules', agentId],
    queryFn: ({ signal }) => get<readonly Schedule[]>(schedulesOf(agentId), { signal }),
  });
}

/** What a schedule did, the newest first. */
export function useExecutions(agentId: string, id: string) {
  return useQuery({
    queryKey: ['schedules', agentId, id],
    queryFn: ({ signal }) => get<readonly Execution[]>(`${oneOf(agentId, id)}/executions`, { signal }),
  });
}

export const tellSchedule = (agentId: string, id: string, what: 'pause' | 'resume' | 'run') =>
  post<{ readonly status: string }>(`${oneOf(agentId, id)}/${what}`);
export const deleteSchedule = (agentId: string, id: string) => del(oneOf(agentId, id));
export const saveSchedule = (agentId: string, id: string | undefined, fields: ScheduleFields) =>
  id === undefined
    ? post<SavedSchedule>(schedulesOf(agentId), fields)
    : patch<SavedSchedule>(oneOf(agentId, id), fields);

/** A schedule that was saved, and why it would fail as things are. */
export interface SavedSchedule {
  readonly id: string;
  readonly warnings?: readonly string[];
}
