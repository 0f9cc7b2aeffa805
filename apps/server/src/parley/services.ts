/** What the `parley` toolset needs to know of the server it runs in. */
import type { Caller, HiddenReason } from '@parley/kit';
import type { AppHost } from '../host.ts';

/** Facts about callers and the catalog. */
export interface ParleyServices {
  organizationName(caller: Caller): Promise<string>;
  /** The toolsets a caller has at least one tool of. */
  toolsetsOf(caller: Caller): { name: string; title: string; tools: number }[];
  /** Another caller of the same organization, by key id, public id or name. */
  findCaller(asker: Caller, name: string): Promise<Caller | undefined>;
  explain(caller: Caller, tool: string): HiddenReason | 'unknown' | undefined;
}

/** Builds the services from the host. */
export function createParleyServices(host: AppHost): ParleyServices {
  return {
    organizationName: async (caller) => (await host.identity.organizationName(caller.organizationId)) ?? '',
    toolsetsOf(caller) {
      const tools = [...host.engine().view(caller).tools.values()].filter(
        (tool) => tool.available?.(caller) ?? true,
      );
      return host
        .engine()
        .catalog.toolsets.map(({ name, title }) => ({
          name,
          title,
          tools: tools.filter(({ toolset }) => toolset === name).length,
        }))
        .filter((toolset) => toolset.tools > 0);
    },
    findCaller: (asker, name) => host.identity.callerNamed(asker.organizationId, name),
    explain: (caller, tool) => host.engine().explain(caller, tool),
  };
}
