/** The tools of plugins as a source of the kit: what organizations have besides the built-in tools of agents. */
import type { Change, OutsideTool, Source } from '@parley/kit';
import { defineOutsideTool, defineToolset, install } from '@parley/kit';
import { AGENT } from '../../name.ts';
import { faultsIn } from './input-schema.ts';
import type { LoadedTool } from './loaded.ts';

/** The kind of the source, which the toolset takes in. */
export const PLUGIN = 'plugin';

export interface SourceParts {
  /** The tools of an organization; undefined: they are not loaded. */
  toolsOf(organizationId: string): readonly LoadedTool[] | undefined;
  prepare(organizationId: string): Promise<void>;
  call: (tool: LoadedTool) => OutsideTool['call'];
}

/** A source that is told when an organization has other tools. */
export interface PluginSource extends Source {
  changed(organizationId: string): void;
}

export function createPluginSource({ toolsOf, prepare, call }: SourceParts): PluginSource {
  const parts = new Map<string, ReturnType<Source['catalog']>>();
  const listeners = new Set<(change: Change) => void>();
  let version = 0;
  const partOf = (organizationId: string) => {
    const tools = toolsOf(organizationId);
    if (tools === undefined) return undefined;
    version += 1;
    if (tools.length === 0) return { version, toolsets: [] };
    const toolset = defineToolset({ name: AGENT, title: 'Plugins', tools: tools.map(outsideTool) });
    return { version, toolsets: [install(toolset)] };
  };
  const outsideTool = (loaded: LoadedTool) => {
    const { fullName, description, effect, external, isBlocked, inputSchema } = loaded.tool;
    return defineOutsideTool({
      name: fullName,
      title: fullName,
      description,
      effect,
      external,
      ...(isBlocked && { unattended: 'block' }),
      callers: 'agents',
      inputSchema,
      faultsIn: (input) => faultsIn(inputSchema, input),
      call: call(loaded),
    });
  };
  return {
    name: 'plugins',
    kind: PLUGIN,
    reach: 'organization',
    prepare,
    catalog(organizationId) {
      const known = parts.get(organizationId);
      if (known !== undefined) return known;
      const part = partOf(organizationId);
      if (part !== undefined) parts.set(organizationId, part);
      return part;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    changed(organizationId) {
      parts.delete(organizationId);
      for (const listener of listeners) listener({ kind: 'tools', organizationId });
    },
  };
}
