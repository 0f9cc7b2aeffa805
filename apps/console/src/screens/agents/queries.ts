/** Owns what the screen of agents reads and does, as far as more than one part of it needs it. */
import { useQuery } from '@tanstack/react-query';
import { callTool } from '../../api/call-tool.ts';
import { request } from '../../api/request.ts';
import { useSession } from '../../api/session.ts';

/** A kind of session. */
export interface SessionKind {
  readonly source: string;
  readonly project?: string;
  readonly isUnattended: boolean;
}

export function useAgents() {
  return useQuery({
    queryKey: ['agents', 'list'],
    queryFn: ({ signal }) => request('GET /api/agents', { signal }),
  });
}

export function useAgent(id: string) {
  return useQuery({
    queryKey: ['agents', 'one', id],
    queryFn: ({ signal }) => request('GET /api/agents/{id}', { path: { id }, signal }),
  });
}

/** Where a session may come from, as the server names it. */
export const SOURCES = ['web', 'api', 'mcp', 'agent', 'schedule', 'webhook', 'remote'] as const;

export function useTools(id: string, { source, project, isUnattended }: SessionKind, isWanted = true) {
  return useQuery({
    enabled: isWanted,
    queryKey: ['agents', 'tools', id, source, project, isUnattended],
    queryFn: ({ signal }) =>
      request('GET /api/agents/{id}/tools', {
        path: { id },
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

export const makeAgent = (name: string, description: string) =>
  request('POST /api/agents', { body: { name, description } });

/** Calls a tool as the agent: what it does then, it does itself. */
export const callAs = <T>(agentId: string, tool: string, args: object) =>
  callTool<T>('agent', tool, args, { as: agentId });
