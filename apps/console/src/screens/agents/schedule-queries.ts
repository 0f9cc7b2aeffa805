/** Owns reading and changing the schedules of an agent. */
import { useQuery } from '@tanstack/react-query';
import { request } from '../../api/request.ts';
import type { BodyOf } from '../../api/request.ts';

/** What a schedule is made from or changed to. */
export type ScheduleFields = BodyOf<'POST /api/agents/{id}/schedules'>;

export function useSchedules(agentId: string) {
  return useQuery({
    queryKey: ['schedules', agentId],
    queryFn: ({ signal }) => request('GET /api/agents/{id}/schedules', { path: { id: agentId }, signal }),
  });
}

/** What a schedule did, the newest first. */
export function useExecutions(agentId: string, id: string) {
  return useQuery({
    queryKey: ['schedules', agentId, id],
    queryFn: ({ signal }) =>
      request('GET /api/agents/{id}/schedules/{scheduleId}/executions', {
        path: pathOf(agentId, id),
        signal,
      }),
  });
}

const pathOf = (agentId: string, id: string) => ({ id: agentId, scheduleId: id });

export const tellSchedule = (agentId: string, id: string, what: 'pause' | 'resume' | 'run') =>
  request(`POST /api/agents/{id}/schedules/{scheduleId}/${what}`, { path: pathOf(agentId, id) });
export const deleteSchedule = (agentId: string, id: string) =>
  request('DELETE /api/agents/{id}/schedules/{scheduleId}', { path: pathOf(agentId, id) });
export const saveSchedule = (agentId: string, id: string | undefined, body: ScheduleFields) =>
  id === undefined
    ? request('POST /api/agents/{id}/schedules', { path: { id: agentId }, body })
    : request('PATCH /api/agents/{id}/schedules/{scheduleId}', { path: pathOf(agentId, id), body });
