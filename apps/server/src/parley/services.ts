/** What the `parley` toolset needs to know of the server it runs in. */
import type { Caller, HiddenReason } from '@parley/kit';
import type { AppHost } from '../start/served-toolset.ts';

/** What a grant can name. */
export type Kind = 'tool' | 'resource' | 'prompt';

/** Facts about callers and the catalog. */
export interface ParleyServices {
  organizationName(caller: Caller): Promise<string>;
  /** The toolsets a caller has at least one tool of. */
  toolsetsOf(caller: Caller): { name: string; title: string; tools: number }[];
  /** Another caller of the same organization: a key by id, public id or name, or an agent by id or name. */
  findCaller(asker: Caller, name: string): Promise<Caller | undefined>;
  /** What a name stands for, and why a caller does not have it; undefined when they have it. */
  explain(caller: Caller, name: string): { kind: Kind; reason: HiddenReason | 'unknown' | undefined };
  /** What gives a tool to an agent, or leaves it out; undefined for whoever is none. */
  whyOfAgent(caller: Caller, tool: string): Promise<string | undefined>;
  /** What to do before a call of a tool that an agent has is not refused; undefined when there is nothing. */
  lackOfAgent(caller: Caller, tool: string): Promise<string | undefined>;
}

export function createParleyServices(host: AppHost): ParleyServices {
  return {
    organizationName: async (caller) => (await host.identity.organizationName(caller.organizationId)) ?? '',
    toolsetsOf(caller) {
      const tools = [...host.engine().view(caller).tools.values()].filter(
        (tool) => tool.available?.(caller) ?? true,
      );
      return host
        .engine()
        .catalogFor(caller)
        .toolsets.map(({ name, title }) => ({
          name,
          title,
          tools: tools.filter(({ toolset }) => toolset === name).length,
        }))
        .filter((toolset) => toolset.tools > 0);
    },
    whyOfAgent: (caller, tool) => host.identity.whyOfAgent(caller, tool),
    lackOfAgent: (caller, tool) => host.identity.lackOfAgent(caller, tool),
    findCaller: (asker, name) => host.identity.callerNamed(asker.organizationId, name),
    explain(caller, name) {
      const { tools, resources } = host.engine().catalogFor(caller);
      const isNamed = (item: { readonly name: string }) => item.name === name;
      const kind = tools.some(isNamed) ? 'tool' : resources.some(isNamed) ? 'resource' : 'prompt';
      return { kind, reason: host.engine().explain(caller, name) };
    },
  };
}
