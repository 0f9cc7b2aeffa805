/** What an agent may do in a session of some kind, for people who look or act as it. */
import type { Caller } from '@parley/kit';
import { requireLasting, ToolError } from '@parley/kit';
import type { Store } from '@parley/store';
import type { AgentServices } from '../services/index.ts';
import type { SessionSource } from '../session.ts';
import { callSourceOf } from '../session.ts';
import type { AgentTool } from '../tools/sets.ts';
import { givenBundles, promptOf } from './given-bundles.ts';
import type { AgentCallers, RegisteredTools } from './lookup.ts';
import { agentRow, resolutionOf } from './lookup.ts';
import { mayGive } from './may-give.ts';
import type { ToolReport } from './report.ts';
import { reportOf } from './report.ts';
import { whyOf } from './why.ts';

/** A kind of session. */
export interface SessionKind {
  readonly source: SessionSource;
  readonly unattended: boolean;
  readonly projectId?: string | undefined;
}

/** What an agent has in it, and what its bundles tell it. */
export interface SessionReport extends ToolReport {
  readonly prompt: string;
  /** For each tool there is, the list, bundle or set that decides, in a sentence. */
  readonly why: Readonly<Record<string, string>>;
}

export interface AgentPermissions {
  /** Undefined where the organization has no such agent. */
  report(organizationId: string, agentId: string, kind: SessionKind): Promise<SessionReport | undefined>;
  /** What the bundles of an agent tell it. */
  prompt(organizationId: string, agentId: string, projectId?: string): Promise<string>;
  /** An agent that somebody acts as at their own machine; throws where it can do what they cannot. */
  actAs(by: Caller, agentId: string): Promise<Caller>;
}

export interface PermissionsParts {
  readonly store: Store;
  readonly callers: AgentCallers;
  readonly tools: RegisteredTools;
  readonly toolNamed: (organizationId: string, name: string) => AgentTool | undefined;
}

/** `services` are what conditions of tools are asked with, once they are all made. */
export function createPermissions(
  { store, callers, tools, toolNamed }: PermissionsParts,
  services: () => AgentServices,
): AgentPermissions {
  const toolsFor = (organizationId: string) =>
    tools.registered(organizationId).flatMap((name) => toolNamed(organizationId, name) ?? []);
  const guardsFor = (organizationId: string) =>
    toolsFor(organizationId).map(({ available, ...tool }) => ({
      ...tool,
      available: available && ((caller: Caller) => available(services(), caller)),
    }));
  return {
    async report(organizationId, agentId, { source, unattended, projectId }) {
      const row = await agentRow(store, organizationId, agentId);
      if (row === undefined) return undefined;
      const session = { sessionSource: source, projectId };
      const caller = await callers.acting({
        ...session,
        organizationId,
        agentId,
        source: callSourceOf(source),
        unattended,
        depth: 1,
      });
      const { unknown, ...deciding } = await resolutionOf(store, tools, row, session);
      const lacking = await tools.lacking?.(organizationId);
      const why = tools.registered(organizationId).map((name) => [name, whyOf(name, deciding)]);
      return {
        ...reportOf(guardsFor(organizationId), caller, lacking),
        unknown,
        prompt: promptOf(deciding.bundles),
        why: Object.fromEntries(why),
      };
    },
    async prompt(organizationId, agentId, projectId) {
      return promptOf(await givenBundles(store, { organizationId, agentId, projectId }));
    },
    async actAs(by, agentId) {
      requireLasting(by, 'what agents do');
      const { organizationId, unattended } = by;
      const how = { organizationId, agentId, unattended, depth: 1 };
      const caller = await callers.acting({ ...how, source: 'stdio', sessionSource: 'mcp' });
      if (caller === undefined) throw new ToolError('not_found', 'Agent not found');
      const { tools: held } = reportOf(guardsFor(organizationId), caller);
      const stronger = toolsFor(organizationId).find(
        (tool) => held.includes(tool.name) && !mayGive(by, tool),
      );
      if (stronger === undefined) return caller;
      throw new ToolError('forbidden', `You cannot act as what can do more than you: ${stronger.name}`);
    },
  };
}
