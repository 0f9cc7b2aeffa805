/** Owns what the screen of agents reads and does, as far as more than one part of it needs it. */
import { useQuery } from '@tanstack/react-query';
import { callTool } from '../../api/call-tool.ts';
import { get, post } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';

export interface Agent {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly account_id: string;
  /** null: the default set. */
  readonly tools: readonly string[] | null;
  readonly default_project_id: string | null;
  readonly runner: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** An agent in the list. */
export interface ListedAgent extends Agent {
  readonly status: 'running' | 'watched' | 'idle';
  readonly last_run_at: string | null;
}

/** What an agent has in a session of a kind, and what is kept from it. */
export interface ToolReport {
  readonly tools: readonly string[];
  readonly removed: readonly { readonly name: string; readonly reason: string }[];
  readonly unknown: readonly string[];
  readonly prompt: string;
  readonly why: Readonly<Record<string, string>>;
}

/** A kind of session. */
export interface SessionKind {
  readonly source: string;
  readonly project?: string;
  readonly isUnattended: boolean;
}

export function useAgents() {
  return useQuery({
    queryKey: ['agents', 'list'],
    queryFn: ({ signal }) => get<readonly ListedAgent[]>('/api/agents', { signal }),
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

export function useTools(id: string, { source, project, isUnattended }: SessionKind, isWanted = true) {
  return useQuery({
    enabled: isWanted,
    queryKey: ['agents', 'tools', id, source, project, isUnattended],
    queryFn: ({ signal }) =>
      get<ToolReport>(`${pathOf(id)}/tools`, {
        query: { source, project, unattended: isUnattended },
        signal,
      }),
  });
}

/** The projects of the organization; whoever may not list them has none to choose from. */
export function useProjects(): readonly { readonly id: string; readonly name: string }[] {
  const { organization } = useSession();
  const { data } = useQuery({
    queryKey: ['projects', organization.id],
    queryFn: async ({ signal }) => {
      const args = { organizationId: organization.id };
      const answer = await callTool<{ projects: { id: string; name: string }[] }>(
        'self',
        'PROJECT_LIST',
        args,
        { signal },
      );
      return answer.projects;
    },
    retry: false,
  });
  return data ?? [];
}

/** The place of an agent in the API. */
export const pathOf = (id: string) => `/api/agents/${encodeURIComponent(id)}`;

export const makeAgent = (name: string, description: string) =>
  post<Agent & { readonly key: string; readonly warnings: readonly string[] }>('/api/agents', {
    name,
    description,
  });

/** Calls a tool as the agent: what it does then, it does itself. */
export const callAs = <T>(agentId: string, tool: string, args: object) =>
  callTool<T>('agent', tool, args, { as: agentId });
