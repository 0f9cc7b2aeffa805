/** Owns what the screen of agents reads and does. */
import { useQuery } from '@tanstack/react-query';
import { del, get, post } from '../../api/client.ts';

export interface Agent {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** null: the default set. */
  readonly tools: readonly string[] | null;
  readonly runner: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What an agent has in a session of a kind, and what is kept from it. */
export interface ToolReport {
  readonly tools: readonly string[];
  readonly removed: readonly { readonly name: string; readonly reason: string }[];
  readonly unknown: readonly string[];
  readonly prompt: string;
}

type Timing =
  | { readonly kind: 'cron'; readonly cron: string; readonly timezone: string }
  | { readonly kind: 'interval'; readonly minutes: number }
  | { readonly kind: 'event'; readonly type: string };

export interface Schedule {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly status: 'active' | 'paused' | 'auto_paused';
  readonly timing: Timing;
  readonly runs: number;
  readonly failures: number;
  readonly next_run_at: string | null;
}

export interface Memory {
  readonly key: string;
  readonly content: string;
  readonly saved_at: string;
  readonly signature: 'valid' | 'invalid';
  readonly archived: boolean;
}

export function useAgents() {
  return useQuery({
    queryKey: ['agents', 'list'],
    queryFn: ({ signal }) => get<readonly Agent[]>('/api/agents', { signal }),
  });
}

export function useAgent(id: string) {
  return useQuery({
    queryKey: ['agents', 'one', id],
    queryFn: ({ signal }) => get<Agent>(pathOf(id), { signal }),
  });
}

/** Where a session may come from, as the server names it. */
export const SOURCES = ['web', 'api', 'mcp', 'agent', 'schedule', 'webhook', 'remote'] as const;

export function useTools(id: string, session: { readonly source: string; readonly isUnattended: boolean }) {
  const { source, isUnattended } = session;
  return useQuery({
    queryKey: ['agents', 'tools', id, source, isUnattended],
    queryFn: ({ signal }) =>
      get<ToolReport>(`${pathOf(id)}/tools`, { query: { source, unattended: isUnattended }, signal }),
  });
}

export function useSchedules(id: string) {
  return useQuery({
    queryKey: ['schedules', id],
    queryFn: ({ signal }) => get<readonly Schedule[]>(`${pathOf(id)}/schedules`, { signal }),
  });
}

export function useMemories(id: string, words: string) {
  const query = words === '' ? {} : { query: words };
  return useQuery({
    queryKey: ['memory', id, words],
    queryFn: ({ signal }) =>
      get<{ readonly memories: readonly Memory[]; readonly total: number }>(`${pathOf(id)}/memories`, {
        query: { ...query, limit: 50 },
        signal,
      }),
  });
}

const pathOf = (id: string) => `/api/agents/${encodeURIComponent(id)}`;

export const makeAgent = (name: string, description: string) =>
  post<Agent & { readonly key: string; readonly warnings: readonly string[] }>('/api/agents', {
    name,
    description,
  });
export const makeKey = (id: string) => post<{ readonly key: string }>(`${pathOf(id)}/api-keys`);
export const deleteAgent = (id: string) => del(pathOf(id));
export const tellSchedule = (id: string, scheduleId: string, what: 'pause' | 'resume' | 'run') =>
  post(`${pathOf(id)}/schedules/${encodeURIComponent(scheduleId)}/${what}`);

/** When a schedule runs, in words. */
export function timingText(timing: Timing): string {
  if (timing.kind === 'interval') return `every ${timing.minutes} min`;
  if (timing.kind === 'event') return `when ${timing.type} happens`;
  return `${timing.cron} (${timing.timezone})`;
}
