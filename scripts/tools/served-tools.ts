/** Owns how scripts look at tools: the definitions as the server lists them over MCP, with what they were made from. */
import { createEngine, install, toolsetSource } from '@parley/kit';
import type { AnyTool, AnyToolset, Effect } from '@parley/kit';
import { loadOwnToolsets } from '../../apps/server/src/toolsets.ts';

/** A definition as it goes over the wire; nothing about it is taken for granted here. */
export interface Definition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Record<string, unknown>;
  readonly outputSchema?: Record<string, unknown>;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** A tool that is served. */
export interface ServedTool {
  readonly toolset: string;
  readonly definition: Definition;
  readonly effect: Effect;
  readonly external: boolean;
  readonly privileged: boolean | 'by-name';
  readonly unattended: boolean;
  /** The literal; absent for a tool that comes from elsewhere. */
  readonly literal: AnyTool | undefined;
}

/** Every tool of the toolsets; those of the server when none are given. */
export async function servedTools(given?: readonly AnyToolset[]): Promise<ServedTool[]> {
  const toolsets: readonly AnyToolset[] = given ?? (await loadOwnToolsets());
  const { common } = createEngine({ sources: toolsets.map((toolset) => toolsetSource(install(toolset))) });
  const literals = new Map(
    toolsets.flatMap(({ name, tools }) => tools.map((tool) => [`${name} ${tool.name}`, tool] as const)),
  );
  return common.tools.map((tool) => {
    const literal = literals.get(`${tool.toolset} ${tool.name}`);
    return {
      toolset: tool.toolset,
      // What clients get, to the byte.
      definition: JSON.parse(tool.json) as Definition,
      effect: tool.effect,
      external: tool.external,
      privileged: tool.privileged ?? false,
      unattended: tool.unattended === 'block',
      literal: literal?.kind === 'tool' ? literal : undefined,
    };
  });
}

/** The toolsets that a module exports. */
export async function toolsetsIn(path: string): Promise<AnyToolset[]> {
  const module: Record<string, unknown> = await import(path);
  return Object.values(module).filter(isToolset);
}

function isToolset(value: unknown): value is AnyToolset {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'toolset';
}
